extension LocalCluster {
    /// Settings of the server, written at every start. Small: the whole of Commonplace at rest with its database stays below 250 MB.
    static func settings(socketFolder: String) -> String {
        """
        # Written by Commonplace at every start: changes here are lost. Your own settings go to the end of postgresql.conf.

        # Reached through the Unix socket alone, by its owner and by root alone.
        listen_addresses = ''
        unix_socket_directories = '\(socketFolder)'
        unix_socket_permissions = 0700

        # What is acknowledged is on disk. Commonplace refuses to run with any of these off.
        fsync = on
        full_page_writes = on
        synchronous_commit = on

        max_connections = 64
        shared_buffers = 128MB
        wal_buffers = 16MB
        effective_cache_size = 512MB
        work_mem = 4MB
        maintenance_work_mem = 64MB
        max_wal_size = 1GB
        autovacuum_max_workers = 2
        max_worker_processes = 4
        max_parallel_workers_per_gather = 0
        max_parallel_maintenance_workers = 0
        random_page_cost = 1.1
        jit = off

        timezone = 'UTC'
        log_timezone = 'UTC'
        logging_collector = on
        log_directory = 'log'
        log_filename = 'postgres-%a.log'
        log_truncate_on_rotation = on
        log_rotation_age = 1d
        log_rotation_size = 0
        log_line_prefix = '%m [%p] %a '
        # The details of errors hold values of people's rows.
        log_error_verbosity = terse
        log_min_error_statement = panic

        """
    }

    /// What stands in `postgresql.conf` after `initdb`.
    static let mainSettings = """
        include 'commonplace.conf'

        # Your own settings go below; they win over those of commonplace.conf.

        """
}
