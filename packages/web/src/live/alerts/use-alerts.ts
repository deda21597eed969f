import type { SessionSummary } from '@panoptes/schema'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { sessionsQuery } from '../../api/queries.ts'
import { useStore } from '../../store.ts'
import { words } from '../../words.ts'
import { keyOf, sessionKeyOf } from '../data/key.ts'
import { pageAgents } from '../data/page-agents.ts'
import { nameOf } from '../model/names.ts'
import { sinceOf } from '../model/needs-you.ts'
import { type Cause, type CauseKind, causesOf, isQuiet } from './causes.ts'
import { inView } from './in-view.ts'
import { alertSettings } from './settings.ts'
import { createTeller } from './teller.ts'

const w = words.live.alerts

/** Tells through the browser when an agent needs someone, where that was asked for. */
export function useAlerts(): void {
  const { on } = useStore(alertSettings)
  const client = useQueryClient()
  const navigate = useNavigate()
  useEffect(() => {
    if (!on || typeof Notification === 'undefined' || Notification.permission !== 'granted') return
    const teller = createTeller({
      isQuiet: () => {
        const { quiet, from, to } = alertSettings.get()
        return quiet && isQuiet(from, to, new Date())
      },
      isInView: (cause) => document.visibilityState === 'visible' && inView.get().has(keyOf(cause.agent)),
      show: (kind, causes) => {
        const first = causes[0]
        if (!first) return null
        const sessions = client.getQueryData<readonly SessionSummary[]>(sessionsQuery.queryKey) ?? []
        const session = sessions.find((one) => sessionKeyOf(one) === sessionKeyOf(first.agent))
        const note = new Notification(titleOf(kind, causes), {
          body: w.body(session?.project ?? null, Date.now() - sinceOf(first.agent)),
          tag: first.id,
          silent: true,
        })
        note.onclick = () => {
          focus()
          void navigate({ to: '/', search: { agent: keyOf(first.agent) } })
        }
        return note
      },
    })
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      const { causes, next } = causesOf(pageAgents.get().agents, Date.now())
      teller.see(causes)
      if (next !== null) timer = setTimeout(look, Math.max(50, next - Date.now()))
    }
    look()
    const leave = pageAgents.subscribe(look)
    return () => {
      leave()
      clearTimeout(timer)
      teller.stop()
    }
  }, [on, client, navigate])
}

function titleOf(kind: CauseKind, causes: readonly Cause[]): string {
  const [first, ...rest] = causes
  if (!first || rest.length > 0) return w.many[kind](causes.length)
  const name = nameOf(first.agent)
  if (kind === 'waiting') return w.waits(name, first.agent.wait_reason)
  return kind === 'stuck' ? w.stuck(name) : w.failed(name)
}
