import type { EventInput } from '@panoptes/schema'

interface Helper {
  begun: number
  ended: number
  failed: boolean
  readonly calls: Set<string>
}

/** Everybody who helped in one session. They are counted when somebody asks, all over again. */
export interface Helpers {
  readonly add: (event: EventInput) => void
  readonly count: () => { readonly all: number; readonly done: number; readonly failed: number }
}

export function countHelpers(): Helpers {
  const helpers = new Map<string, Helper>()
  const madeBy = new Map<string, string>()
  const failedCalls = new Set<string>()

  const meet = (id: string): Helper => {
    const helper = helpers.get(id) ?? { begun: 0, ended: 0, failed: false, calls: new Set<string>() }
    helpers.set(id, helper)
    return helper
  }
  const end = (helper: Helper) => {
    helper.ended = Math.max(1, helper.begun)
  }
  const isOver = ({ begun, ended, calls }: Helper): boolean =>
    ended >= Math.max(1, begun) || calls.size >= Math.max(1, begun)

  const link = (event: EventInput, id: string | undefined) => {
    const call = text(event.tool_use_id)
    const helperId = id ?? (call === undefined ? undefined : madeBy.get(call))
    if (helperId === undefined) {
      if (call !== undefined && event.status === 'failed') failedCalls.add(call)
      return
    }
    if (call !== undefined) {
      madeBy.set(call, helperId)
      const before = call === helperId ? undefined : helpers.get(call)
      if (before !== undefined) {
        helpers.delete(call)
        if (!helpers.has(helperId)) helpers.set(helperId, before)
      }
    }
    const helper = meet(helperId)
    const failed = event.status === 'failed' || (call !== undefined && failedCalls.delete(call))
    if (failed || event.status === 'completed') helper.calls.add(call ?? '')
    if (failed) helper.failed = true
  }

  return {
    add: (event) => {
      if (event.from_hook === true) return
      const id = text(event.event === 'agent_lost' ? event.agent_id : event.id)
      if (event.event === 'session_end') [...helpers.values()].filter((each) => !isOver(each)).forEach(end)
      else if (id === 'main' || id === event.session_id) return
      else if (event.event === 'agent_link') link(event, id)
      else if (id === undefined) return
      else if (event.event === 'agent_spawn') {
        const helper = meet(id)
        helper.begun += 1
        if (helper.begun > 1) helper.failed = false
      } else if (event.event === 'agent_done' || event.event === 'agent_lost') {
        const helper = meet(id)
        end(helper)
        if (event.event === 'agent_done' && (event.outcome === 'fail' || event.error)) helper.failed = true
      }
    },
    count: () => {
      const over = [...helpers.values()].filter(isOver)
      const failed = over.filter((helper) => helper.failed).length
      return { all: helpers.size, done: over.length - failed, failed }
    },
  }
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
