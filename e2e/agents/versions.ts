/** The clients in the tests with real agents: the version of the recordings, and the newest one tried. */
export const CLAUDE_CODE = { recorded: '2.1.197', newest: '2.1.327' } as const

export type ClientName = keyof typeof CLAUDE_CODE

/** Speaks ACP for Claude Code and runs its newest version. */
export const CLAUDE_AGENT_ACP = '0.99.1'

/** Speaks OpenAI's API with any endpoint. */
export const OPENCODE = '1.18.33'

/** Speaks only the Responses API. */
export const CODEX = '0.166.0'

/** Speaks chat completions; the newest version on PyPI. */
export const HERMES = '0.19.0'
