import Postgres

extension Feed: Domain {}
