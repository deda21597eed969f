import { join } from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { findChromium } from './e2e/setup/chromium.ts'
import { emulateMedia } from './e2e/setup/emulate-media.ts'
import { watchLeftovers } from './e2e/setup/leftovers.ts'
import { LongestFirst } from './e2e/setup/longest-first.ts'
import { onlySqlite } from './e2e/setup/only-sqlite.ts'
import { runsProject } from './e2e/setup/runs-project.ts'
import SkippedTests from './e2e/setup/skipped-tests.ts'
import { bundledThreads } from './packages/cli/build/bundled-threads.ts'

// A store that is opened starts two threads: what they run is compiled once, not hundreds of times.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.cache', 'compiled')

const MODULES = '**/node_modules/**'

/** They start and kill processes or take long by nature, so that only `npm run test:full` runs them. */
const SLOW = ['packages/*/src/**/*.full.test.ts', 'bench/**/*.full.test.ts']

/** They fill disks and damage files, so that they run one after the other when nothing else is at work. */
const FAULTS = 'packages/engine/src/store/sqlite-*.test.ts'

/** They draw parts of the page in a browser, without a daemon. */
const COMPONENTS = 'packages/web/src/**/*.component.test.{ts,tsx}'

/** They share one PostgreSQL server and one NATS server, each test in a schema or a database of its own. */
const DATABASE = [
  'packages/engine/src/store/postgres*.test.ts',
  'packages/*/src/**/*.{postgres,nats}.test.ts',
]

/** Hubs and forwarders, as processes. */
const TEAM = 'e2e/{postgres,team}-*.test.ts'

/** The few whole-system tests of the default tier: one for each thing that must never break. */
const SMOKE = 'e2e/smoke/*.test.ts'

/** They start and kill processes in homes of their own and draw nothing. */
const PROCESSES =
  'e2e/{agents-command,chat-*command,chat-hermes,command-ended,crash,crash-check,dependencies,forward-command,hooks-*,launchers,layering,mcp-command,moa-command,programs,restarts,secrets,service,sessions-command,sessions-sources,test-run}.test.ts'

/** With `PANOPTES_TEST_ENGINE=postgres` whole-system tests run on PostgreSQL, except those about SQLite's file. */
const ONLY_SQLITE = onlySqlite(process.env.PANOPTES_TEST_ENGINE)

/** It skips tests, with the reason, that need a program which cannot be had. */
const RUNNER = join(import.meta.dirname, 'e2e', 'setup', 'runner.ts')

/** A busy machine makes tests wait longer, never fail. */
const WAITS = { expect: { poll: { timeout: 30_000 } }, testTimeout: 180_000, hookTimeout: 180_000 } as const

/** Files that leave nothing behind share the processes they run in, and the modules these have loaded. */
const SHARED = { ...WAITS, isolate: false, unstubGlobals: true, unstubEnvs: true, runner: RUNNER } as const

const PAGE_PACKAGES = [
  '@base-ui/react/dialog',
  '@base-ui/react/menu',
  '@tanstack/react-query',
  '@tanstack/react-router',
  'axe-core',
  'marked',
  'react-dom',
  'react-dom/client',
  'zod',
]

const SERVERS = ['e2e/setup/postgres.ts', 'e2e/setup/nats.ts', 'e2e/setup/browser.ts', 'e2e/setup/command.ts']

// Other programs read this file too, and run no tests.
if (process.env.VITEST) watchLeftovers()
const CHROMIUM = runsProject('components') ? await findChromium() : { missing: 'No component tests run.' }
const UNLOADED =
  'missing' in CHROMIUM ? { project: 'components', files: COMPONENTS, reason: CHROMIUM.missing } : undefined

export default defineConfig({
  test: {
    ...(ONLY_SQLITE.others && { testNamePattern: ONLY_SQLITE.others }),
    reporters: ['default', new SkippedTests(UNLOADED)],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        plugins: [bundledThreads()],
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: [...SLOW, FAULTS, COMPONENTS, ...DATABASE, MODULES],
          maxWorkers: '100%',
          ...SHARED,
        },
      },
      {
        plugins: [react(), tailwind()],
        root: 'packages/web',
        // Vite would load the page again, in the middle of a test, for a package that it finds only then.
        optimizeDeps: { include: PAGE_PACKAGES },
        test: {
          name: 'components',
          include: 'missing' in CHROMIUM ? [] : [COMPONENTS.replace('packages/web/', '')],
          maxWorkers: '100%',
          isolate: false,
          ...WAITS,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            commands: { emulateMedia },
            provider: playwright({
              launchOptions: 'missing' in CHROMIUM ? {} : CHROMIUM,
              contextOptions: {
                reducedMotion: 'reduce',
                permissions: ['clipboard-read', 'clipboard-write'],
              },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
      {
        test: {
          name: 'smoke',
          include: [SMOKE],
          globalSetup: ['e2e/setup/postgres.ts', 'e2e/setup/browser.ts', 'e2e/setup/command.ts'],
          maxWorkers: 2,
          ...SHARED,
          sequence: { groupOrder: 1 },
        },
      },
      {
        plugins: [bundledThreads()],
        test: {
          name: 'slow',
          include: SLOW,
          maxWorkers: 2,
          ...SHARED,
        },
      },
      {
        test: {
          name: 'hub',
          include: [...DATABASE, TEAM],
          globalSetup: SERVERS,
          // They wait more than they work: for servers, for killed processes, for time limits to pass.
          maxWorkers: 4,
          ...SHARED,
          sequence: { groupOrder: 3 },
        },
      },
      {
        plugins: [bundledThreads()],
        test: {
          name: 'processes',
          include: [PROCESSES],
          exclude: [...ONLY_SQLITE.files, MODULES],
          globalSetup: ['e2e/setup/engine.ts', 'e2e/setup/command.ts'],
          maxWorkers: 2,
          ...SHARED,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'pages',
          include: ['e2e/**/*.test.ts'],
          exclude: ['e2e/agents/**', SMOKE, TEAM, PROCESSES, ...ONLY_SQLITE.files],
          globalSetup: ['e2e/setup/engine.ts', 'e2e/setup.ts'],
          // They run together with the processes, so that no core waits for the last of either.
          maxWorkers: 2,
          ...SHARED,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'faults',
          include: [FAULTS],
          ...WAITS,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'agents',
          include: ['e2e/agents/**/*.test.ts'],
          ...WAITS,
          testTimeout: 400_000,
          runner: RUNNER,
          globalSetup: ['e2e/agents/setup.ts'],
          fileParallelism: false,
        },
      },
    ],
  },
})
