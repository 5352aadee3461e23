/// HTTP and sockets over `Community`: the same folders as there, plus the server itself.
package enum Web {}
