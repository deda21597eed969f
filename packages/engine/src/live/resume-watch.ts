import type { EventStore } from '@panoptes/engine/store'
import { isKind, readAgentId, type StoredEvent } from '@panoptes/schema'
import { follow } from './follow.ts'
import type { RequestInput } from './permission-requests.ts'

type Of = Pick<RequestInput, 'source' | 'session_id' | 'agent_id' | 'tool' | 'input_preview'> & {
  /** When the request was made. */
  readonly ts: number
}

/** The limit of calls tracked as possibly still running. */
const MOST_CALLS = 50

/**
 * Calls back once an agent moves on by itself: a client whose own prompt was answered keeps its hook waiting
 * regardless. A request does not name its call, so it is matched by tool and input; other calls that end
 * meanwhile do not count.
 */
export async function watchMovedOn(
  store: EventStore,
  of: Of,
  movedOn: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { source, session_id: session, agent_id: agent } = of
  const head = await store.head()
  if (!head.ok) return
  const calls = new Map<string, boolean>()
  const begun = (event: StoredEvent) => {
    if (isKind(event, 'tool_use') && event.id) calls.set(event.id, isSameCall(of, event))
  }
  const page = await store.read(
    { before: head.value.last + 1, limit: MOST_CALLS },
    { kinds: ['tool_use'], source, session, agent },
  )
  if (page.ok) for (const { json } of page.value.rows) begun(JSON.parse(json) as StoredEvent)

  const see = (event: StoredEvent) => {
    if (event.source !== source || event.session_id !== session) return
    const own = (readAgentId(event) ?? 'main') === agent
    if (own) begun(event)
    // The request may have arrived faster than the events that led to it.
    if (event.ts < of.ts) return
    if (event.event === 'session_end') movedOn()
    if (!own) return
    if (isKind(event, 'agent_done') || isKind(event, 'prompt')) movedOn()
    else if (isKind(event, 'tool_done') && event.tool === of.tool && calls.get(event.id ?? '') !== false)
      movedOn()
  }
  const quick = JSON.stringify(session)
  await follow(
    store,
    head.value.last,
    ({ json }) => json.includes(quick) && see(JSON.parse(json) as StoredEvent),
    signal,
  )
}

const isSameCall = (
  of: Of,
  call: { readonly tool?: string | null | undefined; readonly input_preview?: string | null | undefined },
) => call.tool === of.tool && (call.input_preview ?? null) === of.input_preview
