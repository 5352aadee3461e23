/// Passwords that anybody would try first: 765 of at least 8 bytes, chosen after the well-known rankings of leaked
/// passwords, with the words of this place added. It stops the laziest guessing; it is no list of breached passwords.
enum CommonPasswords {
    /// True for one of the list; `text` in lower case.
    static func contains(_ text: String) -> Bool { all.contains(text) }

    static let all = Set(list.split(whereSeparator: \.isWhitespace).map(String.init))

    private static let list = #"""
        !@#$%^&* 00000000 000000000 0000000000 01020304 01234567 012345678 0123456789 098765432 0987654321 10203040
        102030405060 11111111 111111111 1111111111 11112222 11223344 1122334455 112233445566 11235813 12121212 12131415
        123123123 123321123 12341234 12344321 123454321 12345678 123456789 1234567890 123456789a 12345678a 12345679
        1234567a 123456a1 1234abcd 123abc123 123qwe123 123qweasd 123qweasdzxc 13131313 13579246 135792468 147258369
        147852369 159357258 159753456 19841984 19851985 19861986 19871987 19881988 19891989 19901990 19911991 19921992
        1password 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 20002000 22222222 24681012 27182818
        31415926 314159265 33333333 44444444 55555555 55667788 66666666 741852963 77777777 789456123 87654321 88888888
        963852741 987654321 9876543210 99999999 a1234567 a12345678 a123456789 a1b2c3d4 a1b2c3d4e5 aa123456 aa12345678
        abc12345 abc123456 abc123abc abcd1234 abcd12345 abcdabcd abcdefg1 abcdefgh abcdefghi abcdefghij abigail1
        access123 access14 admin123 admin1234 admin12345 administrator administrator1 adobe123 ajax1234 alejandra
        alejandro alexander alexandra alexandre alyssa12 amanda12 amanda123 america1 american amsterdam andrew12
        andrew123 angel123 angels12 anthony1 anthony123 apple123 arsenal1 arsenal123 asdf1234 asdf;lkj asdfasdf asdfghjk
        asdfghjkl asdfjkl; asdfqwer ashley12 ashley123 asshole1 australia autumn12 autumn2024 azerty123 azertyuiop
        babyboy1 babygirl babygirl1 babygirl12 banana12 banana123 barbie12 barcelona barcelona1 baseball baseball1
        baseball123 basketball basketball1 batman123 bayern123 beautiful beautiful1 benjamin blessed1 blessing blink182
        blueberry bonjour1 bonjour123 bookclub bookclub1 booklover booklover1 bookworm bookworm1 brandon1 brandon123
        brasil123 brittany brittany1 budweiser bullshit buttercup butterfly butterfly1 california canada12 caroline
        catcher22 catherine changeme changeme1 changeme123 charlie1 charlie123 cheese12 cheese123 chelsea1 chelsea123
        chocolat chocolate chocolate1 chouchou christian christina christine christopher colorado commonplace
        commonplace1 computer computer1 contrasena contraseña cookie12 cookie123 correcthorsebatterystaple corvette
        courtney courtney1 cowboys1 crocodile crystal1 cupcakes daniel12 daniel123 danielle danielle1 deadbeef deadbeef1
        december default1 demo1234 demodemo destiny1 diamond1 dolphin1 dolphins dominic1 dortmund doudou12 doudoune
        dragon12 dragon123 dragonball dumbledore eagles12 edwardcullen elephant elizabeth elizabeth1 eminem12 england1
        estrella estrella1 facebook facebook1 february fernanda fernando ferrari1 feyenoord football football1
        football12 football123 forever1 forever21 fortnite fortnite1 francesco francisco freedom1 freedom123 friday13
        friends1 friends123 frodobaggins fuckoff1 fuckyou! fuckyou1 fuckyou123 fuckyou2 fussball gabriel1 gabriela
        gameover gandalf1 gandalf123 garfield garfield1 gateway1 gatsby12 genesis1 germany1 godisgood goodluck
        goodmorning goodreads goodreads1 google12 google123 gorgeous greatgatsby greenday greenday1 gryffindor guest123
        guestguest guitar12 guitar123 hallo123 hannah12 hannah123 harley01 harley12 harrypotter harrypotter1 haslo123
        heaven12 heavenly heineken hejhej123 hello123 hello1234 hello12345 hellohello hellokitty helloworld hermione
        hermione1 hockey12 hockey123 hogwarts hogwarts1 hufflepuff hungergames hunter12 hunter123 hunter2hunter
        hurricane ilovebooks ilovegod iloveme1 ilovereading iloveu12 iloveyou iloveyou! iloveyou1 iloveyou123
        iloveyou2 instagram internet internet1 internet123 iphone12 isabella jackdaniels janeausten january1 jennifer
        jennifer1 jessica1 jessica123 jesus123 jesus777 jesuschrist jonathan jonathan1 jordan01 jordan12 jordan123
        jordan23 joshua12 joshua123 justin12 justin123 juventus katherine killer12 killer123 kimberly kristina lakers24
        lauren12 letmein1 letmein123 letmein2 letmeinnow librarian library1 library123 lightning linkedin linkedin1
        linkinpark linux123 lionking liverpool liverpool1 login123 loginlogin lordoftherings loulou12 lovebug1 loveless
        lovelove loveme123 lovers12 loveyou1 loveyou123 loveyou2 lucky123 lucky777 macintosh mackenzie madison1 maggie12
        makayla1 manchester margarita marina12 mariposa marlboro marlene1 master12 master123 matthew1 matthew123
        maverick melissa1 mercedes metallica metallica1 michael1 michael123 michelle michelle1 mickey12 mickeymouse
        microsoft middleearth midnight midnight1 minecraft minecraft1 minecraft123 monday12 monkey12 monkey123 moonlight
        motdepasse motdepasse1 motherfucker mountain mrdarcy1 music123 musiclove mustang1 mustang69 mynameis mypassword
        myspace1 narnia12 naruto123 natalie1 natasha1 nathaniel newpassword newyork1 nicholas nicole12 nicole123
        nintendo nirvana1 november october1 oldpassword opensesame p@55w0rd p@ssw0rd p@ssw0rd1 p@ssw0rd123 p@ssword
        p@ssword1 pa55w0rd pa55word packers1 panther1 parola123 passw0rd passw0rd1 password password! password0
        password01 password1 password1! password11 password12 password123 password1234 password2 password2023
        password2024 password2025 password2026 password3 password7 password9 password99 passwort passwort1 passwort123
        patricia patrick1 patriots peanut12 penguin1 pepper12 pepper123 phillip1 phoenix1 photoshop pikachu1 pineapple
        playstation pokemon1 pokemon123 porsche1 precious prideandprejudice princesa princesita princess princess1
        princess123 pumpkin1 pumpkin12 q1234567 q12345678 q1w2e3r4 q1w2e3r4t5 qazwsx123 qazwsxedc qwe123qwe qweasd123
        qweasdzxc qwerty!1 qwerty!@# qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwertyui qwertyuio
        qwertyuiop qwertz123 qwertzuiop raiders1 rainbow1 rainbow12 rainbow123 ravenclaw raymond1 readbooks reading1
        reading123 realmadrid rebecca1 redskins redsox12 richard1 robert12 robert123 roblox123 rocknroll rockstar
        rockstar1 root1234 rootroot rosebud1 russell1 sabrina1 salasana samantha samantha1 sample123 samsung1 samsung123
        saturday savannah schalke04 schatz12 schatzi1 scooby12 scoobydoo scorpio1 scorpion scotland sebastian secret12
        secret123 secret1234 security security1 senha123 senha1234 september sergey12 shadow12 shadow123 shannon1
        sheridan sherlock sherlock1 sherlockholmes shithead skywalker slipknot slipknot1 slytherin smokeweed snoopy12
        snowball snowball1 soccer10 soccer12 soccer123 softball softball1 soleil12 solution sophie12 spencer1 spiderman
        spiderman1 spongebob spring12 spring2024 startrek startrek1 starwars starwars1 starwars123 steelers steelers1
        stephanie stephanie1 stephen1 sterling strawberry success1 summer12 summer123 summer2023 summer2024 summer2025
        sunday12 sunflower sunshine sunshine1 sunshine123 superman superman1 superman123 superstar sweetheart sweetie1
        sweetpea swimming swordfish swordfish1 system32 teamomucho teddybear temp1234 temporary temppass tequiero
        test1234 test12345 tester12 testing1 testing123 testpass testtest thailand theodore thepassword thomas12
        thomas123 thunder1 thunderbird tiger123 timberlake tinkerbell tolkien1 toor1234 topsecret triangle trombone
        tropical trustno1 turquoise twilight twilight1 twitter1 ubuntu12 universe user1234 user12345 username username1
        valentin valentina valentine vampires vanessa1 veronica victoria victoria1 vladimir volleyball wachtwoord
        wachtwoord1 warcraft welcome! welcome1 welcome12 welcome123 welcome1234 welcome2023 welcome2024 welcome2025
        welcome2026 westside whatever whatever1 wildcats william1 william123 williams windows1 windows10 windows7
        winter12 winter123 winter2024 winter2025 wolverine yamaha12 yankees1 yesterday youtube1 zachary1 zaq12wsx
        zaq1xsw2 zaq1zaq1 zxcvasdf zxcvbnm, zxcvbnm1 zxcvbnm123
        """#
}
