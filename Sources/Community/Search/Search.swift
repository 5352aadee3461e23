/// Finding books.
package enum Search {}
