import type { CostRow } from '@panoptes/schema'
import type { Page, Route } from 'playwright-core'
import { type LedgerReplies, spent } from './ledger-replies.ts'

/** Answers everything that the Ledger page asks for, but for what is failing. */
export async function answerLedger(
  page: Page,
  replies: LedgerReplies,
  failing: readonly string[] = [],
): Promise<void> {
  await page.route(/\/api\/ledger\//, (route) => {
    const url = new URL(route.request().url())
    const name = url.pathname.replace('/api/ledger/', '')
    if (failing.includes(name))
      return route.fulfill({
        status: 500,
        json: { detail: 'The ledger is locked.', next: 'Try again in a moment.' },
      })
    return route.fulfill({ json: answer(name, url.searchParams, replies, route) })
  })
}

function answer(name: string, query: URLSearchParams, replies: LedgerReplies, route: Route): unknown {
  const limit = Number(query.get('limit') ?? 100)
  const offset = Number(query.get('offset') ?? 0)
  const page = <T>(rows: readonly T[]) => rows.slice(offset, offset + limit)
  switch (name) {
    case 'overview':
      return replies.overview
    case 'agents': {
      const [type, outcome] = [query.get('type'), query.get('outcome')]
      const found = replies.agents.filter(
        (one) =>
          (type === null || one.subagent_type === type) &&
          (outcome === null || (one.outcome ?? 'none') === outcome) &&
          (query.get('flagged') === null || one.flags.length > 0),
      )
      return { total: found.length, agents: page(found) }
    }
    case 'claims': {
      const check = query.get('check')
      const tier = query.get('tier')
      const found = replies.claims.filter(
        (one) =>
          (check === null || one.check.verdict === check) && (tier === null || one.evidence_tier === tier),
      )
      return { total: found.length, claims: page(found) }
    }
    case 'skills':
      return {
        window_days: 30,
        rules: { validated_over_rate: 0.9, re_extract_under_rate: 0.6 },
        skills: replies.skills,
      }
    case 'skill-uses':
      return { total: replies.uses.length, uses: page(replies.uses) }
    case 'skills/review': {
      const { apply = false } = route.request().postDataJSON() as { readonly apply?: boolean }
      return { applied: apply, changes: replies.changes.map((change) => ({ ...change, done: apply })) }
    }
    case 'costs':
      return costsBy(query.get('by') ?? 'day', query.get('split') !== null, replies)
    case 'outcomes':
      return replies.outcomes
    case 'calibration':
      return replies.calibration
    case 'followups':
      return { total: replies.followups.length, followups: page(replies.followups) }
    default:
      return replies.budgets
  }
}

function costsBy(by: string, split: boolean, { costs, models }: LedgerReplies): readonly CostRow[] {
  if (by === 'day' && split) return costs
  if (by === 'model') return models.map(([model, share]) => spent(model, null, share * 20_000_000))
  if (by !== 'day')
    return ['atlas', 'ledger-bench', 'docs-site'].map((name, n) => spent(name, null, (9 - n) * 9e6))
  const days = Map.groupBy(costs, ({ name }) => name)
  return [...days].map(([name, rows]) =>
    spent(
      name,
      null,
      rows.reduce((sum, row) => sum + row.cost_micro_usd, 0),
    ),
  )
}
