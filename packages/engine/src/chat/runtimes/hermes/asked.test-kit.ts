import type { Approval, RuntimeAdapter, RuntimeEvent, RuntimeRequest } from '../port.ts'

export interface Heard {
  readonly events: readonly RuntimeEvent[]
  readonly text: string
  readonly end: RuntimeEvent | undefined
}

/** A message as a run would have it built. */
export const requestOf = (message: string, more: Partial<RuntimeRequest> = {}): RuntimeRequest => ({
  conversation_id: 'c1',
  run_id: 'r1',
  message_id: 'm2',
  user_message_id: 'm1',
  model: null,
  message,
  files: [],
  baseline: '',
  preamble: '',
  history: [],
  handover: [],
  skills: { skills: [], left_out: 0, status: 'absent' },
  plan: { decision: 'sequential', worthiness: 1, reasons: [], nodes: [], edges: [] },
  continuity: null,
  folder: '/',
  ...more,
})

/** What an adapter tells of one message, to its end. */
export async function heardOf(
  adapter: Pick<RuntimeAdapter, 'run'>,
  request: RuntimeRequest,
  {
    signal = new AbortController().signal,
    choose = async () => null,
    onEvent = () => {},
  }: {
    readonly signal?: AbortSignal
    readonly choose?: (approval: Approval) => Promise<string | null>
    readonly onEvent?: (event: RuntimeEvent) => void
  } = {},
): Promise<Heard> {
  const events: RuntimeEvent[] = []
  for await (const event of adapter.run(request, { signal, ask: choose })) {
    events.push(event)
    onEvent(event)
  }
  const text = events.map((event) => (event.type === 'chunk' ? event.delta : '')).join('')
  return { events, text, end: events.at(-1) }
}
