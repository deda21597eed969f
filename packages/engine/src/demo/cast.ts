type List<T> = readonly [T, ...T[]]

/** A kind of work for an agent: its project, its prompts, and its helpers. */
export interface Play {
  readonly weight: number
  readonly project: string
  readonly source: string
  readonly title: string
  readonly model: string
  readonly prompts: List<string>
  readonly files: List<string>
  readonly helpers: List<string>
}

const billing = [
  'services/billing/src/invoice/total.ts',
  'services/billing/src/tax/rules.ts',
  'db/migrations/0031_tax.sql',
  'db/views.sql',
  'routes/index.ts',
  'queue/dead.ts',
  'hooks/send.ts',
  'fixtures/invoices/0412.json',
] as const

const guides = [
  'guides/install.md',
  'guides/auth.md',
  'guides/glossary.md',
  'guides/samples/first-call.md',
  'images/hero.png',
  'site.config.ts',
] as const

const engine = [
  'wal/checkpoint.c',
  'wal/frame.c',
  'bench/insert.mjs',
  'bench/results/trial-b.json',
  'src/fsync.c',
  'plan.ts',
] as const

export const PLAYS: List<Play> = [
  {
    weight: 5,
    project: 'atlas-api',
    source: 'claude-code',
    title: 'Split billing out of the monolith',
    model: 'claude-opus-5',
    prompts: [
      'Move billing into its own package. Keep invoice rounding exactly as it is today and prove it with the recorded invoices.',
      'Now the web hooks: the retry policy has to stay as it is.',
      'Which routes still reach the old module?',
    ],
    files: billing,
    helpers: [
      'schema-migrator',
      'invoice-port',
      'tax-rules',
      'pdf-render',
      'contract-tests',
      'route-audit',
      'webhook-port',
      'dead-letters',
      'table-map',
      'type-check',
      'seed-data',
      'explore',
    ],
  },
  {
    weight: 3,
    project: 'atlas-api',
    source: 'claude-code',
    title: 'Retry queue loses the last job',
    model: 'claude-sonnet-5',
    prompts: ['The retry queue loses the last job of a batch. Find out why and write the test first.'],
    files: billing,
    helpers: ['replay-log', 'retry-policy', 'read-jobs', 'explore'],
  },
  {
    weight: 4,
    project: 'docs-site',
    source: 'hermes',
    title: 'Rewrite the guides',
    model: 'claude-sonnet-5',
    prompts: [
      'Rewrite the guides for the new sign-in. Every sample has to run.',
      'Check every link, also those in the images.',
    ],
    files: guides,
    helpers: [
      'outline',
      'guide-install',
      'guide-auth',
      'samples',
      'link-checker',
      'glossary',
      'image-alt',
      'style-pass',
      'toc-check',
    ],
  },
  {
    weight: 3,
    project: 'ledger-bench',
    source: 'claude-code',
    title: 'Find the slow insert',
    model: 'claude-opus-5',
    prompts: [
      'Inserts got three times slower last week. Find the commit and say why, with figures.',
      'Try it with a larger checkpoint, five runs each.',
    ],
    files: engine,
    helpers: [
      'profiler',
      'load-driver',
      'index-trial',
      'checkpoint',
      'wal-notes',
      'fsync-test',
      'flame-read',
    ],
  },
  {
    weight: 2,
    project: 'infra',
    source: 'hermes',
    title: 'Weekly dependency review',
    model: 'claude-haiku-5',
    prompts: ['Go through the dependencies that have a new release and say which ones we should take.'],
    files: ['package.json', 'Containerfile', 'deploy/base.yaml'],
    helpers: ['changelog-read', 'trim-container'],
  },
  {
    weight: 2,
    project: 'moa/review',
    source: 'panoptes',
    title: 'Is it safe to drop invoice_totals in this release?',
    model: 'claude-opus-5',
    prompts: ['Is it safe to drop invoice_totals in the release that stops writing to it?'],
    files: ['db/views.sql', 'jobs/nightly.ts'],
    helpers: ['ref 1', 'ref 2', 'ref 3', 'ref 4'],
  },
  {
    weight: 2,
    project: 'design-kit',
    source: 'custom',
    title: 'Colour tokens for charts',
    model: 'local-32b',
    prompts: ['Give the charts their own colour tokens, readable in the dark and in print.'],
    files: ['tokens/chart.css', 'tokens/print.css', 'stories/chart.tsx'],
    helpers: ['contrast-check', 'snapshot-diff'],
  },
]
