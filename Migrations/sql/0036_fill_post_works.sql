-- What a server that is older than post.work_id wrote between 0031 and 0035. In a file of its own: while it looks through the posts, others
-- are written.

update post
   set work_id = thread.work_id
  from thread
 where post.work_id is null
   and thread.id = post.thread_id
   and thread.work_id is not null;
