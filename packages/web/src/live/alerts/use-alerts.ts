import type { SessionSummary } from '@panoptes/schema'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { sessionsQuery } from '../../api/queries.ts'
import { useStore } from '../../store.ts'
import { words } from '../../words.ts'
import { toAgentKey, toSessionKey } from '../data/agent-key.ts'
import { pageAgents } from '../data/page-agents.ts'
import { waitingSince } from '../model/agent-activity.ts'
import { agentName } from '../model/names.ts'
import { type Cause, type CauseKind, findCauses, isQuiet } from './causes.ts'
import { createNotifier } from './notifier.ts'
import { alertSettings } from './settings.ts'
import { visibleAgents } from './visible-agents.ts'

const w = words.live.alerts

/** Notifies through the browser when an agent needs someone, if the person turned it on. */
export function useAlerts(): void {
  const { on } = useStore(alertSettings)
  const client = useQueryClient()
  const navigate = useNavigate()
  useEffect(() => {
    if (!on || typeof Notification === 'undefined' || Notification.permission !== 'granted') return
    const notifier = createNotifier({
      isQuiet: () => {
        const { quiet, from, to } = alertSettings.get()
        return quiet && isQuiet(from, to, new Date())
      },
      isInView: (cause) =>
        document.visibilityState === 'visible' && visibleAgents.get().has(toAgentKey(cause.agent)),
      show: (kind, causes) => {
        const first = causes[0]
        if (!first) return null
        const sessions = client.getQueryData<readonly SessionSummary[]>(sessionsQuery.queryKey) ?? []
        const session = sessions.find((one) => toSessionKey(one) === toSessionKey(first.agent))
        const note = new Notification(notificationTitle(kind, causes), {
          body: w.body(session?.project ?? null, Date.now() - waitingSince(first.agent)),
          tag: first.id,
          silent: true,
        })
        note.onclick = () => {
          focus()
          void navigate({ to: '/', search: { agent: toAgentKey(first.agent) } })
        }
        return note
      },
    })
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      const { causes, next } = findCauses(pageAgents.get().agents, Date.now())
      notifier.see(causes)
      if (next !== null) timer = setTimeout(look, Math.max(50, next - Date.now()))
    }
    look()
    const leave = pageAgents.subscribe(look)
    return () => {
      leave()
      clearTimeout(timer)
      notifier.stop()
    }
  }, [on, client, navigate])
}

function notificationTitle(kind: CauseKind, causes: readonly Cause[]): string {
  const [first, ...rest] = causes
  if (!first || rest.length > 0) return w.many[kind](causes.length)
  const name = agentName(first.agent)
  if (kind === 'waiting') return w.waits(name, first.agent.wait_reason)
  return kind === 'stuck' ? w.stuck(name) : w.failed(name)
}
