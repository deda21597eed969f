import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './e2e/setup/longest-first.ts'
import { onlySqlite } from './e2e/setup/only-sqlite.ts'
import { bundledThreads } from './packages/cli/build/bundled-threads.ts'

// A ledger that is opened starts two threads: what they run is compiled once, not hundreds of times.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.cache', 'compiled')

/** They fill disks and damage files: they run one after the other, when nothing else is at work. */
const FAULTS = 'packages/engine/src/ledger/sqlite-*.test.ts'

/** They share one PostgreSQL server, each test in a schema or a database of its own. */
const POSTGRES = [
  'packages/engine/src/ledger/postgres*.test.ts',
  'packages/*/src/**/*.{postgres,nats}.test.ts',
]

/** Hubs and those who forward to them, as processes. */
const TEAM = 'e2e/{postgres,team}-*.test.ts'

/** They start nothing and share nothing but what they import, which one process then reads once for all of them. */
const PLAIN = 'packages/{schema,web}/src/**/*.test.ts'

/** They start and kill processes in homes of their own, and draw nothing: two at once fit on two cores. */
const PROCESSES =
  'e2e/{agents-command,arrows,chat-*command,chat-hermes,command-ended,crash,crash-check,forward-command,hooks-*,mcp-command,moa-command,restarts,service,sessions-command,sessions-sources}.test.ts'

/** With `PANOPTES_TEST_ENGINE=postgres` whole-system tests run on PostgreSQL, but for those that are about SQLite's file. */
const ONLY_SQLITE = onlySqlite(process.env.PANOPTES_TEST_ENGINE)

/** Files that leave nothing behind share the processes they run in, and what these have read. */
const SHARED = { isolate: false, unstubGlobals: true, unstubEnvs: true } as const

/** Where many share a machine a test that failed is tried once more, and named at the end. */
const TRIES = process.env.CI ? 1 : 0

export default defineConfig({
  test: {
    ...(ONLY_SQLITE.others && { testNamePattern: ONLY_SQLITE.others }),
    reporters: ['default', './e2e/setup/retried.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        plugins: [bundledThreads()],
        test: {
          name: 'unit',
          retry: TRIES,
          exclude: [FAULTS, PLAIN, ...POSTGRES, '**/node_modules/**'],
          include: ['packages/*/src/**/*.test.ts', 'bench/**/*.test.ts'],
          testTimeout: 20_000,
          maxWorkers: '100%',
          ...SHARED,
        },
      },
      {
        test: {
          name: 'plain',
          retry: TRIES,
          include: [PLAIN],
          testTimeout: 20_000,
          maxWorkers: '100%',
          ...SHARED,
        },
      },
      {
        test: {
          name: 'postgres',
          retry: TRIES,
          include: [...POSTGRES, TEAM],
          globalSetup: [
            'e2e/setup/postgres.ts',
            'e2e/setup/nats.ts',
            'e2e/setup/browser.ts',
            'e2e/setup/command.ts',
          ],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // They wait more than they work: for servers, for what was killed, for times to be over.
          maxWorkers: 4,
          ...SHARED,
          sequence: { groupOrder: 3 },
        },
      },
      {
        plugins: [bundledThreads()],
        test: {
          name: 'processes',
          retry: TRIES,
          include: [PROCESSES],
          exclude: [...ONLY_SQLITE.files, '**/node_modules/**'],
          globalSetup: ['e2e/setup/engine.ts', 'e2e/setup/command.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          ...SHARED,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'system',
          retry: TRIES,
          include: ['e2e/**/*.test.ts'],
          exclude: ['e2e/agents/**', TEAM, PROCESSES, ...ONLY_SQLITE.files],
          globalSetup: ['e2e/setup/engine.ts', 'e2e/setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // Together with the processes, so that no core waits for the last of either.
          maxWorkers: 2,
          ...SHARED,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'faults',
          retry: TRIES,
          include: [FAULTS],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'agents',
          retry: TRIES,
          include: ['e2e/agents/**/*.test.ts'],
          globalSetup: ['e2e/agents/setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
