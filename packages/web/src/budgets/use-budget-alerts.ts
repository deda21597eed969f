import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { toast } from '../design/toast.tsx'
import { budgetsQuery } from '../ledger/queries.ts'
import { mayNotify } from '../live/alerts/may-notify.ts'
import { oneLine } from '../sessions/plain.ts'
import { pageTail } from '../stream/page-tail.ts'
import { words } from '../words.ts'
import { dollars } from './money.ts'
import { type Passed, passedIn } from './passed.ts'

const w = words.budgets
const LONGEST = 80

/** Says when a budget is nearly used up or is, whatever page is open; through the browser as well where that was asked for. */
export function useBudgetAlerts(): void {
  const client = useQueryClient()
  const navigate = useNavigate()
  useEffect(() => {
    const show = () => void navigate({ to: '/ledger' })
    return pageTail.listen({
      onEvents: (events) => {
        const passed = passedIn(events, Date.now())
        if (passed.length === 0) return
        void client.invalidateQueries({ queryKey: budgetsQuery.queryKey })
        for (const one of passed) {
          toast({ text: textOf(one), tone: 'failed', act: { label: w.show, run: show } })
          notify(one, show)
        }
      },
    })
  }, [client, navigate])
}

const textOf = ({ name, level, spent, limit }: Passed): string =>
  w.passed(oneLine(name, LONGEST), level, dollars(spent), dollars(limit))

function notify(passed: Passed, show: () => void): void {
  if (!mayNotify()) return
  const note = new Notification(textOf(passed), { tag: passed.key, silent: true })
  note.onclick = () => {
    focus()
    show()
  }
}
