import { toVisibleLine } from '@panoptes/schema/shown'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { toast } from '../design/toast.tsx'
import { budgetsQuery } from '../ledger/queries.ts'
import { canNotify } from '../live/alerts/causes.ts'
import { pageTail } from '../stream/page-tail.ts'
import { words } from '../words.ts'
import { formatDollars } from './money.ts'
import { findThresholdCrossings, type ThresholdCrossing } from './threshold-crossings.ts'

const w = words.budgets
const LONGEST = 80

/** Announces on every page when a budget is nearly or fully used up, and through the browser if the person allowed that. */
export function useBudgetAlerts(): void {
  const client = useQueryClient()
  const navigate = useNavigate()
  useEffect(() => {
    const show = () => void navigate({ to: '/ledger' })
    return pageTail.listen({
      onEvents: (events) => {
        const passed = findThresholdCrossings(events, Date.now())
        if (passed.length === 0) return
        void client.invalidateQueries({ queryKey: budgetsQuery.queryKey })
        for (const one of passed) {
          toast({ text: alertText(one), tone: 'failed', act: { label: w.show, run: show } })
          notify(one, show)
        }
      },
    })
  }, [client, navigate])
}

const alertText = ({ name, level, spent, limit }: ThresholdCrossing): string =>
  w.passed(toVisibleLine(name, LONGEST), level, formatDollars(spent), formatDollars(limit))

function notify(passed: ThresholdCrossing, show: () => void): void {
  if (!canNotify()) return
  const note = new Notification(alertText(passed), { tag: passed.key, silent: true })
  note.onclick = () => {
    focus()
    show()
  }
}
