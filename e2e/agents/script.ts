/** A failure of one attempt at a reply. */
export type Fault =
  | { readonly kind: 'status'; readonly status: 429 | 500 | 529 }
  | { readonly kind: 'slow'; readonly ms: number }
  /** The connection breaks in the middle of the stream. */
  | { readonly kind: 'cut' }

export interface Call {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

/** One reply of the model. The faults come first, one per attempt. */
export interface Turn {
  readonly text?: string
  readonly calls?: readonly Call[]
  readonly faults?: readonly Fault[]
}

/**
 * The replies to each agent, by the mark in its prompt such as `[[survey]]`. After its last turn an agent gets
 * "ok".
 */
export type Script = Readonly<Record<string, readonly Turn[]>>

const MARK = /\[\[([a-z][a-z0-9-]*)\]\]/

export const mark = (agent: string): string => `[[${agent}]]`
export const markIn = (text: string): string | undefined => MARK.exec(text)?.[1]

/** A call of the client's own tool that starts a sub-agent. */
export const startAgent = (agent: string, input: Readonly<Record<string, unknown>> = {}): Call => ({
  tool: 'Agent',
  input: {
    description: agent,
    prompt: `${mark(agent)} do your part`,
    subagent_type: 'general-purpose',
    ...input,
  },
})

export const bash = (command: string): Call => ({ tool: 'Bash', input: { command, description: 'run it' } })
export const read = (file: string): Call => ({ tool: 'Read', input: { file_path: file } })

/** The block at the end of a message that claims what the work achieved. */
export const truth = (shipped: string): string =>
  `Finished.\n=== STATUS-TRUTH MARKER ===\nshipped: ${shipped}\nstubs: 0\nbehaviour-verified: yes\nfollow-up-required:\n  - none`
