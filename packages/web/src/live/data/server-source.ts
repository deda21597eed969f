import type { AgentDetail, EventsPage, ReplayReply, Timeline, ToolStats } from '@panoptes/schema'
import { getJson } from '../../api/request.ts'
import type { AgentRef } from './agent-key.ts'
import { detailAt } from './past-detail.ts'
import type { PastSource } from './source.ts'

const LATEST = 12
const FRAME_CACHE_SIZE = 120

/** The past as the server reports it, with a cache of frames for scrubbing. */
export function createServerSource(): PastSource {
  const frames = new Map<number, Promise<ReplayReply>>()

  const replay = (at: number): Promise<ReplayReply> => {
    const cached = frames.get(at)
    if (cached) return cached
    const pending = getJson<ReplayReply>(`/api/replay?at=${at}`)
    frames.set(at, pending)
    pending.catch(() => frames.delete(at))
    for (const old of [...frames.keys()].slice(0, Math.max(0, frames.size - FRAME_CACHE_SIZE)))
      frames.delete(old)
    return pending
  }

  return {
    live: true,
    timeline: (from, to, slices, signal) =>
      getJson<Timeline>(`/api/timeline?from=${from}&to=${to}&slices=${slices}`, signal),
    step: async (at, by) => {
      const query =
        by > 0
          ? { after: '0', since: String(at + 1), limit: '1' }
          : { before: String(Number.MAX_SAFE_INTEGER), until: String(at), limit: '1' }
      const page = await getJson<EventsPage>(`/api/events?${new URLSearchParams(query)}`)
      return page.events[0]?.ts ?? null
    },
    replay,
    detail: async (ref, at, signal) => {
      if (at === null) return getJson<AgentDetail>(detailPath(ref), signal)
      const query = new URLSearchParams({
        session: ref.session_id,
        source: ref.source,
        agent: ref.id,
        until: String(at + 1),
        before: String(Number.MAX_SAFE_INTEGER),
        limit: String(LATEST),
      })
      const [frame, page, tools] = await Promise.all([
        replay(at),
        getJson<EventsPage>(`/api/events?${query}`, signal),
        getJson<readonly ToolStats[]>('/api/tools', signal),
      ])
      return detailAt(ref, frame, page.events, tools)
    },
  }
}

const detailPath = (ref: AgentRef): string =>
  `/api/agents/${encodeURIComponent(ref.session_id)}/${encodeURIComponent(ref.id)}?source=${encodeURIComponent(ref.source)}`
