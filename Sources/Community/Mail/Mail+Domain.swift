extension Mail: Domain {}
