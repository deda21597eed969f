import { plural } from '../format.ts'

type Level = 'near' | 'over'

/** The text about spending limits, in the top bar, the strip and Settings. */
export const budgetsWords = {
  today: 'Today',
  of: (limit: string) => `of ${limit}`,
  todayLabel: (spent: string, limit: string | null) =>
    limit === null ? `Today ${spent}` : `Today ${spent} of ${limit}`,
  lacks: (n: number) => `${plural(n, 'reply', 'replies')} unpriced`,
  passed: (name: string, level: Level, spent: string, limit: string) =>
    level === 'over'
      ? `Budget used up: ${name}, ${spent} of ${limit}`
      : `Budget nearly used up: ${name}, ${spent} of ${limit}`,
  show: 'Show',
  strip: (name: string, spent: string, limit: string) => `Budget used up: ${name}, ${spent} of ${limit}.`,
  settings: {
    title: 'Budgets',
    sub: 'spending limits',
    hint: 'dollars per day, week, month or session',
    none: 'No budgets yet',
    noneDetail: 'Without a budget, Panoptes never alerts you about spending.',
    levels: { under: 'within', near: 'nearly used up', over: 'used up' } satisfies Record<
      Level | 'under',
      string
    >,
    ofLimit: (spent: string, limit: string) => `${spent} of ${limit}`,
    topSession: 'most expensive session',
    change: 'Edit budgets',
    changeDetail: (file: string) =>
      `Edit the budgets section of ${file}, then restart Panoptes. Each limit applies per day, week, month or session. A project and a source are optional.`,
    example:
      'budgets:\n  limits:\n    - { per: day, usd: 25 }\n    - { per: week, project: atlas-api, usd: 75 }\n    - { per: session, usd: 10 }',
    copyExample: 'Copy example',
  },
}
