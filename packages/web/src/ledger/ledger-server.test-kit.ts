import type { CostRow, SkillChange } from '@panoptes/schema'
import type { FakeRequest, FakeServer } from '../testing/fake-server.ts'
import { costRow, SESSION } from './ledger.test-kit.ts'
import type { LedgerMonth } from './ledger-month.test-kit.ts'

const SKILLS_FOLDER = '/home/dev/.claude/skills'
/** The changes of a skill review. */
const CHANGES: readonly SkillChange[] = [
  {
    skill: 'write-migration',
    verdict: 'validated',
    action: 'mark',
    reason: 'Used 64 times in 30 days, 97 % worked.',
    folder: `${SKILLS_FOLDER}/write-migration`,
    says: 'Gets “stability: validated” in its front matter.',
    done: false,
    problem: null,
  },
  {
    skill: 'scrape-docs',
    verdict: 'archive',
    action: 'archive',
    reason: 'Not used for 42 days.',
    folder: `${SKILLS_FOLDER}/scrape-docs`,
    says: `Moves to ${SKILLS_FOLDER}/_archive/scrape-docs.`,
    done: false,
    problem: null,
  },
  {
    skill: 'fix-flaky',
    verdict: 're-extract',
    action: 'none',
    reason: 'Half of its uses did not work.',
    folder: `${SKILLS_FOLDER}/fix-flaky`,
    says: 'Stays as it is.',
    done: false,
    problem: 'it is closed for writing',
  },
]

/** Serves everything that the Ledger page requests. */
export function answerLedger(server: FakeServer, month: LedgerMonth): void {
  server
    .on('GET /api/past/sessions', [])
    .on('GET /api/ledger/overview', month.overview)
    .on('GET /api/ledger/agents', ({ query }) => {
      const agents = month.agents.filter(
        (one) =>
          isAsked(query, 'type', one.subagent_type) &&
          isAsked(query, 'outcome', one.outcome ?? 'none') &&
          isAsked(query, 'session', one.session_id) &&
          (query.get('flagged') === null || one.flags.length > 0),
      )
      return { total: agents.length, agents: pageOf(agents, query) }
    })
    .on('GET /api/ledger/claims', ({ query }) => {
      const claims = month.claims.filter(
        (one) => isAsked(query, 'check', one.check.verdict) && isAsked(query, 'tier', one.evidence_tier),
      )
      return { total: claims.length, claims: pageOf(claims, query) }
    })
    .on('GET /api/ledger/skills', {
      window_days: 30,
      rules: { validated_over_rate: 0.9, re_extract_under_rate: 0.6 },
      skills: month.skills,
    })
    .on('GET /api/ledger/skill-uses', ({ query }) => {
      const uses = month.uses.filter((one) => isAsked(query, 'skill', one.skill))
      return { total: uses.length, uses: pageOf(uses, query) }
    })
    .on('POST /api/ledger/skills/review', reviewSkills)
    .on('GET /api/ledger/costs', ({ query }) => costsBy(query, month))
    .on('GET /api/ledger/outcomes', month.outcomes)
    .on('GET /api/ledger/calibration', month.calibration)
    .on('GET /api/ledger/followups', ({ query }) => ({
      total: month.followups.length,
      followups: pageOf(month.followups, query),
    }))
    .on('GET /api/ledger/budgets', month.budgets)
}

const isAsked = (query: URLSearchParams, name: string, value: string | null): boolean =>
  !query.has(name) || query.get(name) === value

function pageOf<T>(rows: readonly T[], query: URLSearchParams): readonly T[] {
  const offset = Number(query.get('offset') ?? 0)
  return rows.slice(offset, offset + Number(query.get('limit') ?? 100))
}

function reviewSkills({ body }: FakeRequest) {
  const { apply = false, undo = false } = body as { readonly apply?: boolean; readonly undo?: boolean }
  const applied = apply || undo
  return { applied, changes: CHANGES.map((one) => ({ ...one, done: applied && one.action !== 'none' })) }
}

function costsBy(query: URLSearchParams, { costs, models }: LedgerMonth): readonly CostRow[] {
  const by = query.get('by') ?? 'day'
  if (by === 'day' && query.has('split')) return costs
  if (by === 'day')
    return [...Map.groupBy(costs, ({ name }) => name)].map(([name, rows]) =>
      costRow(
        name,
        rows.reduce((sum, row) => sum + row.cost_micro_usd, 0),
      ),
    )
  if (by === 'model') return models.map(([model, share]) => costRow(model, share * 20_000_000))
  if (by === 'session')
    return [costRow(`claude-code/${SESSION}`, 9_000_000, { source: 'claude-code', sessions: 1 })]
  if (by === 'source') return [costRow('claude-code', 240_000_000)]
  return ['atlas', 'ledger-bench', 'docs-site'].map((name, n) => costRow(name, (9 - n) * 9_000_000))
}
