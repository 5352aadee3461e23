// Debian's libxml2 is built with ICU and brings ICU's headers. Foundation brings another ICU, and Swift would meet the
// declarations twice. Without this one define libxml2's headers leave ICU out; what they then hide is a member of
// xmlCharEncodingHandler, which the program does not look into.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/HTMLparser.h>
