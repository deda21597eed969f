import { tmpdir } from 'node:os'
import type { Approval, RuntimeAdapter, RuntimeEvent, RuntimeProgress, RuntimeRequest } from '../port.ts'

export interface Asked {
  readonly events: readonly RuntimeEvent[]
  readonly text: string
  readonly ended: RuntimeEvent | undefined
  /** The state it left for the next run. */
  readonly continuity: RuntimeRequest['continuity']
}

export interface Asking extends Partial<RuntimeRequest> {
  readonly signal?: AbortSignal
  readonly answer?: (approval: Approval) => Promise<string | null>
  readonly onEvent?: (event: RuntimeEvent) => void
}

/** Calls an adapter the way a run does. */
export async function ask(
  adapter: RuntimeAdapter,
  {
    signal = new AbortController().signal,
    answer = async () => null,
    onEvent = () => {},
    ...request
  }: Asking = {},
): Promise<Asked> {
  const events: RuntimeEvent[] = []
  for await (const event of adapter.run({ ...REQUEST, ...request }, { signal, ask: answer })) {
    events.push(event)
    onEvent(event)
  }
  const ended = events.at(-1)
  return {
    events,
    text: events.map((event) => (event.type === 'chunk' ? event.delta : '')).join(''),
    ended,
    continuity: ended?.type === 'end' && ended.continuity ? { rev: 1, ...ended.continuity } : null,
  }
}

const REQUEST: RuntimeRequest = {
  conversation_id: 'one',
  run_id: 'run',
  message_id: 'answer',
  user_message_id: 'question',
  model: null,
  message: 'What now?',
  files: [],
  baseline: '',
  preamble: '',
  history: [],
  handover: [],
  skills: { skills: [], left_out: 0, status: 'absent' },
  plan: { decision: 'sequential', worthiness: 1, reasons: [], nodes: [], edges: [] },
  continuity: null,
  folder: tmpdir(),
}

export const progressIn = (events: readonly RuntimeEvent[], kind: string): readonly RuntimeProgress[] =>
  events.filter((event) => event.type === 'progress').filter((event) => event.kind === kind)

export const attachedIn = (events: readonly RuntimeEvent[], kind: string): readonly unknown[] =>
  events.flatMap((event) =>
    event.type === 'attachment' && event.attachment.kind === kind ? [event.attachment.data] : [],
  )
