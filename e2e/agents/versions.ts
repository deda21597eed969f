/** The clients that the tests with real agents run: the one of the recordings, and the newest that was tried. */
export const CLAUDE_CODE = { recorded: '2.1.197', newest: '2.1.325' } as const

export type ClientName = keyof typeof CLAUDE_CODE

/** It speaks ACP for Claude Code, of which it runs the newest. */
export const CLAUDE_AGENT_ACP = '0.99.1'

/** It speaks as OpenAI does, to whatever address it is told. */
export const OPENCODE = '1.18.33'

/** It speaks the Responses API alone. */
export const CODEX = '0.166.0'

/** It speaks chat completions; the newest on PyPI. */
export const HERMES = '0.19.0'
