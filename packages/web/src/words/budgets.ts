import { plural } from './plural.ts'

type Level = 'near' | 'over'

/** What is said of money that may be spent. */
export const budgetsWords = {
  today: 'Today',
  of: (limit: string) => `of ${limit}`,
  todayLabel: (spent: string, limit: string | null) =>
    limit === null ? `Today ${spent}` : `Today ${spent} of ${limit}`,
  lacks: (n: number) => `The price of ${plural(n, 'reply', 'replies')} is not known`,
  passed: (name: string, level: Level, spent: string, limit: string) =>
    level === 'over'
      ? `The budget is used up: ${name}, ${spent} of ${limit}`
      : `The budget is nearly used up: ${name}, ${spent} of ${limit}`,
  show: 'Show',
  strip: (name: string, spent: string, limit: string) =>
    `The budget is used up: ${name}, ${spent} of ${limit}.`,
  settings: {
    title: 'Budgets',
    sub: 'what may be spent',
    hint: 'dollars per day, week, month or session',
    none: 'No budget is set',
    noneDetail: 'Nothing is said, however much is spent.',
    levels: { under: 'within', near: 'nearly used up', over: 'used up' } satisfies Record<
      Level | 'under',
      string
    >,
    ofLimit: (spent: string, limit: string) => `${spent} of ${limit}`,
    mostOf: 'the session that used most',
    change: 'Change them',
    changeDetail: (file: string) =>
      `They stand under budgets in ${file}, each per day, week, month or session; project and source may be left out. Start Panoptes again afterwards.`,
    example:
      'budgets:\n  limits:\n    - { per: day, usd: 25 }\n    - { per: week, project: atlas-api, usd: 75 }\n    - { per: session, usd: 10 }',
    copyExample: 'Copy the example',
  },
}
