import type { Ledger } from '@panoptes/engine/ledger'
import { agentOf, isKind, type StoredEvent } from '@panoptes/schema'
import { follow } from './follow.ts'
import type { Asked } from './requests.ts'

type Of = Pick<Asked, 'source' | 'session_id' | 'agent_id' | 'tool' | 'input_preview'> & {
  /** When it was asked. */
  readonly ts: number
}

/** Calls that may still be under way. */
const MOST_CALLS = 50

/**
 * Calls back once an agent went on by itself: a client whose own prompt was answered lets its hook wait all the same. A request
 * does not name its call, so it goes by the tool and what it was to do; another call that ends meanwhile does not count.
 */
export async function watchMovedOn(
  ledger: Ledger,
  of: Of,
  movedOn: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { source, session_id: session, agent_id: agent } = of
  const head = await ledger.head()
  if (!head.ok) return
  const calls = new Map<string, boolean>()
  const begun = (event: StoredEvent) => {
    if (isKind(event, 'tool_use') && event.id) calls.set(event.id, isAsked(of, event))
  }
  const page = await ledger.read(
    { before: head.value.last + 1, limit: MOST_CALLS },
    { kinds: ['tool_use'], source, session, agent },
  )
  if (page.ok) for (const { json } of page.value.rows) begun(JSON.parse(json) as StoredEvent)

  const see = (event: StoredEvent) => {
    if (event.source !== source || event.session_id !== session) return
    const own = (agentOf(event) ?? 'main') === agent
    if (own) begun(event)
    // The request may have come by a quicker way than what led to it.
    if (event.ts < of.ts) return
    if (event.event === 'session_end') movedOn()
    if (!own) return
    if (isKind(event, 'agent_done') || isKind(event, 'prompt')) movedOn()
    else if (isKind(event, 'tool_done') && event.tool === of.tool && calls.get(event.id ?? '') !== false)
      movedOn()
  }
  const quick = JSON.stringify(session)
  await follow(
    ledger,
    head.value.last,
    ({ json }) => json.includes(quick) && see(JSON.parse(json) as StoredEvent),
    signal,
  )
}

const isAsked = (
  of: Of,
  call: { readonly tool?: string | null | undefined; readonly input_preview?: string | null | undefined },
) => call.tool === of.tool && (call.input_preview ?? null) === of.input_preview
