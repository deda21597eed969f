import { existsSync, watch } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isConfigPending, readConfig } from '@panoptes/engine/home'
import { type FoundSource, type HealthCheck, hookConnectionWords } from '@panoptes/schema'
import { archiveCheck } from './archive.ts'
import { type Check, type Finding, failed, ok, type Patient, warning } from './check.ts'
import { daemonCheck, portCheck } from './daemon.ts'
import { diskCheck, homeCheck, tokensCheck } from './files.ts'
import { nodeCheck, npmCheck, platformCheck } from './runtime.ts'
import { lockCheck, storeCheck } from './store.ts'

const WATCH_TIMEOUT_MS = 3_000

/** Checks whether the system reports new files at once. Network folders and some shared folders do not. */
const watchCheck: Check = {
  id: 'watch',
  title: 'File watching',
  run: async ({ paths }) => {
    const there = await stat(paths.home).catch(() => undefined)
    const folder = await mkdtemp(join(there ? paths.home : tmpdir(), '.watch-')).catch(() => undefined)
    if (!folder) return ok('Not checked: the home cannot be written')
    try {
      const took = await measureWatch(folder)
      if (took !== undefined) return ok(`Changes are noticed after ${Math.ceil(took)} ms`)
      const next = 'Set PANOPTES_HOME to a folder on a local disk.'
      return warning('Changes are not noticed', `The disk under ${paths.home} does not report them`, next)
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error)
      const limit = 'If it says ENOSPC or EMFILE, raise fs.inotify.max_user_watches.'
      return warning('Changes cannot be watched', cause, limit)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

const configCheck: Check = {
  id: 'config',
  title: 'Settings',
  run: async ({ paths }) => {
    const read = await readConfig(paths)
    if (!read.ok) return failed(paths.config, read.message, 'Fix it, then run: panoptes config check')
    if (!existsSync(paths.config)) return ok(`${paths.config} does not exist; the defaults apply`)
    if (await isConfigPending(paths))
      return warning(
        paths.config,
        'It changed since Panoptes started and is not applied yet',
        'Restart Panoptes: panoptes stop && panoptes up',
      )
    return ok(`${paths.config}, no errors`)
  },
}

/** No release is older than this, so an earlier clock is wrong. */
const EARLIEST = Date.UTC(2026, 0, 1)
const LATEST = Date.UTC(2100, 0, 1)
const TOLERANCE_MS = 5 * 60_000

const clockCheck: Check = {
  id: 'clock',
  title: 'Clock',
  run: async ({ store }) => {
    const now = Date.now()
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    const detail = `${new Date(now).toISOString()}, time zone ${zone}`
    const next = 'Set the clock of this computer.'
    if (now < EARLIEST || now > LATEST) return failed(detail, 'The date is wrong', next)
    const info = await store?.info()
    const last = info?.ok ? info.value.lastTs : null
    if (last !== null && last !== undefined && last > now + TOLERANCE_MS) {
      const cause = `The newest event is from ${new Date(last).toISOString()}, which is in the future`
      return warning(detail, cause, `${next} If it is right, the clock of an agent is wrong.`)
    }
    return ok(detail)
  },
}

const pageCheck: Check = {
  id: 'page',
  title: 'Page',
  run: async ({ page }) => {
    const { folder, problem } = await page()
    if (!problem) return ok(folder ? `Built, in ${folder}` : 'Not built yet; the next panoptes up builds it')
    const detail = folder ? 'Older than its sources' : 'Not built, so only the API is available'
    return warning(detail, problem, 'In a clone, run npm ci and restart. Otherwise reinstall Panoptes.')
  },
}

const browserCheck: Check = {
  id: 'browser',
  title: 'Browser',
  run: ({ browser }) =>
    ok(browser.opens ? browser.detail : `${browser.detail}; Panoptes prints the link instead`),
}

const sourcesCheck: Check = {
  id: 'sources',
  title: 'Sources',
  run: async ({ sources }) => {
    const all = await sources()
    const unreadable = all.filter(({ state }) => state === 'unreadable')
    const found = all.filter(({ state }) => state === 'found').map(({ name }) => name)
    const detail = found.length > 0 ? found.join(', ') : 'No agents or providers found'
    const first = unreadable[0]
    if (!first) return ok(detail)
    return warning(
      detail,
      unreadable.map((source) => `${source.name}: ${source.detail}`).join('; '),
      first.next ?? 'Allow this user to read it.',
    )
  },
}

const hooksCheck: Check = {
  id: 'hooks',
  title: 'Hooks',
  // The store knows whether an event was received, and only one process can open the store at a time.
  after: storeCheck,
  run: async ({ hooks, sources }) => {
    const [found, all] = await Promise.all([hooks(), sources()])
    const silent = all.filter(({ id, state }) => state === 'found' && found.unconnected.includes(id))
    const stale = scriptProblem(found)
    const problems = [
      ...silent.map(
        ({ name }) => `${name} has no hooks: Live lags by a second and cannot show when it waits for you`,
      ),
      ...found.problems,
      ...(stale ? [stale] : []),
    ]
    const detail = describeHooks(found, all)
    if (problems.length === 0) return ok(detail)
    const [first] = silent
    const next = first
      ? `Connect it with: panoptes hooks install ${first.id}`
      : found.problems.length > 0
        ? 'Fix that file, then run: panoptes hooks status'
        : 'Update it with: panoptes up'
    return warning(detail, problems.join('\n'), next)
  },
}

function describeHooks(
  { connected, installed }: Awaited<ReturnType<Patient['hooks']>>,
  all: readonly FoundSource[],
): string {
  const agentName = (id: string) => all.find((one) => one.id === id)?.name ?? id
  const parts = (['connected', 'installed'] as const).flatMap((state) =>
    ({ connected, installed })[state].map((id) => `${agentName(id)}: ${hookConnectionWords[state]}`),
  )
  return parts.length === 0 ? 'No agent is connected' : parts.join('; ')
}

function scriptProblem({ script, scriptRuns }: Awaited<ReturnType<Patient['hooks']>>): string | null {
  if (!scriptRuns) return null
  if (script === 'older') return 'The hook script is outdated'
  return script === 'absent' ? 'The hook script is missing' : null
}

/** Variables that change what Panoptes does. Only plain paths and switches are shown with their value. */
const SHOWN = [
  'PANOPTES_HOME',
  'HERMES_HOME',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'XDG_DATA_HOME',
  'PANOPTES_DEBUG',
  'NO_COLOR',
  'CI',
]
const NAMED = [
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_ENV_PROXY',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'http_proxy',
  'https_proxy',
  'OLLAMA_HOST',
]

const environmentCheck: Check = {
  id: 'environment',
  title: 'Environment',
  run: ({ env }) => {
    const isSet = (name: string) => (env[name] ?? '') !== ''
    const shown = SHOWN.filter(isSet).map((name) => `${name}=${env[name]}`)
    const named = NAMED.filter(isSet).map((name) => `${name} is set`)
    const detail = [...shown, ...named].join(', ') || 'No variables that affect Panoptes'
    if (env.KEI_GRAPH_STREAM_BYPASS === '1') {
      return warning(
        detail,
        'KEI_GRAPH_STREAM_BYPASS=1: panoptes up exits immediately',
        'Unset it to start Panoptes: unset KEI_GRAPH_STREAM_BYPASS',
      )
    }
    if (
      isSet('NODE_USE_ENV_PROXY') &&
      !/127\.0\.0\.1|localhost|\*/.test(env.NO_PROXY ?? env.no_proxy ?? '')
    ) {
      const cause = 'Requests to this computer go through the proxy'
      return warning(detail, cause, 'Set NO_PROXY=127.0.0.1,localhost')
    }
    return ok(detail)
  },
}

const CHECKS: readonly Check[] = [
  nodeCheck,
  npmCheck,
  platformCheck,
  homeCheck,
  diskCheck,
  configCheck,
  lockCheck,
  storeCheck,
  tokensCheck,
  portCheck,
  daemonCheck,
  clockCheck,
  watchCheck,
  pageCheck,
  browserCheck,
  sourcesCheck,
  archiveCheck,
  hooksCheck,
  environmentCheck,
]

const TIMEOUT_MS = 60_000

/**
 * Collects everything a support thread would ask for. It never throws, and no check can block the others for
 * ever.
 */
export function diagnose(whole: Patient): Promise<readonly HealthCheck[]> {
  let looked: ReturnType<Patient['sources']> | undefined
  const patient: Patient = {
    ...whole,
    sources: () => {
      looked ??= whole.sources()
      return looked
    },
  }
  const started = new Map<Check, Promise<HealthCheck>>()
  for (const check of CHECKS)
    started.set(check, examine(check, patient, check.after && started.get(check.after)))
  return Promise.all(started.values())
}

async function examine(check: Check, patient: Patient, before?: Promise<unknown>): Promise<HealthCheck> {
  await before
  const finding = await Promise.race([attempt(check, patient), waitForTimeout()])
  return { id: check.id, title: check.title, ...finding }
}

async function attempt(check: Check, patient: Patient): Promise<Finding> {
  try {
    return await check.run(patient)
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    return failed('The check itself failed', cause, 'This is a bug in Panoptes. Please report it.')
  }
}

function waitForTimeout(): Promise<Finding> {
  const slow = warning(
    `No answer within ${TIMEOUT_MS / 1000} s`,
    'The disk or the computer is very slow',
    'Try again when it is less busy.',
  )
  return new Promise((resolve) => {
    setTimeout(() => resolve(slow), TIMEOUT_MS).unref()
  })
}

async function measureWatch(folder: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const began = performance.now()
  const watcher = watch(folder, () => resolve(performance.now() - began))
  watcher.on('error', reject)
  const limit = setTimeout(() => resolve(undefined), WATCH_TIMEOUT_MS)
  try {
    await writeFile(join(folder, 'sign'), '')
    return await promise
  } finally {
    clearTimeout(limit)
    watcher.close()
  }
}
