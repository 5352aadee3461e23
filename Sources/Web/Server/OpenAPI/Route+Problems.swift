import Community
import HTTPTypes

extension Route {
    /// Every problem that the call may answer: what its rules refuse, then what its handler does.
    package var allProblems: [ProblemCode] {
        var seen: Set<ProblemCode> = []
        return (ruleProblems + (Self.ownProblems[name] ?? [])).filter { seen.insert($0).inserted }
    }

    /// What the server refuses before the handler runs, or around it.
    private var ruleProblems: [ProblemCode] {
        var codes: [ProblemCode] = []
        if limit == .unlimited { return path == "/metrics" ? [.notFound] : [] }
        let isUnsafe = [.post, .put, .patch, .delete].contains(method)
        if body.shape != nil {
            codes += [.invalidJson, .incompleteBody, .tooSlow, .payloadTooLarge, .unsupportedMediaType]
            codes += [.validation, .unknownField]
        }
        if body.upload != nil, body.shape == nil {
            codes += [.incompleteBody, .tooSlow, .payloadTooLarge, .unsupportedMediaType, .validation]
        }
        if !query.isEmpty { codes.append(.validation) }
        if path.hasPrefix("/api/"), dialect == nil { codes.append(.unknownParameter) }
        if query.contains(where: { $0.name == "cursor" }) { codes.append(.invalidCursor) }
        codes.append(.unauthenticated)
        switch tokens {
        case .refused: codes.append(.sessionRequired)
        case .scope: codes.append(.insufficientScope)
        case .ignored: break
        }
        if access == .verified { codes += [.emailUnverified, .accountFrozen, .awaitingApproval] }
        if access != .open || limit == .auth { codes.append(.accountSuspended) }
        if !pathParameters.isEmpty { codes.append(.notFound) }
        if isUnsafe {
            codes += [.invalidIdempotencyKey, .idempotencyInProgress, .idempotencyUnreadable, .idempotencyGone]
            codes.append(.idempotencyMismatch)
        }
        return codes + [.quotaExceeded, .busy, .unavailable]
    }

    /// Answered by whatever route, and told of none: another name of the server, a bug, a full disk, a caller who has gone,
    /// what is no request.
    package static let everywhere: Set<ProblemCode> = [
        .misdirected, .internal, .noRoom, .clientClosed, .badRequest, .addressTooLong, .headersTooLong, .versionUnknown,
    ]
}
