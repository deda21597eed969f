import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitForAbort } from '@panoptes/engine/abortable'
import { createHome, resolvePaths } from '@panoptes/engine/home'
import { type Counters, check, config as configSchema, type StatusReply } from '@panoptes/schema'
import { openBrowser, planBrowser } from '../browser.ts'
import type { Context } from '../context.ts'
import { type Client, connect, notRunning, stopped } from '../daemon/client.ts'
import { onSignals } from '../daemon/signals.ts'
import { startPanoptes } from '../daemon/start.ts'
import { compare, type Verdict } from '../demo/compare.ts'
import { createDemoTemplate, demoEnvironment, writeDemoSessions } from '../demo/demo-sessions.ts'
import { type PlayResult, play } from '../demo/play.ts'
import { CommandFailure, EXIT, orFail } from '../failure.ts'
import { preparePage } from '../page/index.ts'
import { count, duration, plural } from '../terminal/format.ts'
import { startProgress } from '../terminal/progress.ts'

export interface DemoOptions {
  readonly speed: number
  readonly events?: number
  readonly seed: number
  readonly port: number
  readonly keep?: boolean
  readonly intoRunning?: boolean
  readonly open: boolean
}

/** About a working day of agents. */
const A_DAY = 100_000

export async function demo(context: Context, options: DemoOptions): Promise<void> {
  if (options.intoRunning) return playIntoRunning(context, options)
  return playInNewHome(context, options)
}

async function playIntoRunning(context: Context, options: DemoOptions): Promise<void> {
  const client = await connect(context.paths)
  if (!client) throw notRunning()
  const controller = new AbortController()
  const unlisten = onSignals(
    () => controller.abort(),
    () => process.exit(EXIT.interrupted),
  )
  try {
    report(context, await playAll(context, options, client, controller.signal))
  } finally {
    unlisten()
  }
}

async function playInNewHome(context: Context, options: DemoOptions): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'panoptes-demo-'))
  const paths = resolvePaths({ PANOPTES_HOME: home })
  const controller = new AbortController()
  const stop = () => controller.abort()
  const unlisten = onSignals(stop, () => process.exit(EXIT.interrupted))
  try {
    orFail(await createHome(paths))
    const env = demoEnvironment(context.env, home)
    await writeDemoSessions(env, Date.now())
    const panoptes = await startPanoptes({
      paths,
      env,
      config: demoConfig(),
      host: '127.0.0.1',
      port: options.port,
      allowRemote: false,
      page: preparePage(context.output.note),
      onlyPosted: true,
      command: 'panoptes demo',
      onStop: stop,
    })
    try {
      await showDemoLink(context, panoptes.server.link(), options)
      const client = await connect(paths)
      if (!client) throw notRunning()
      await createDemoTemplate(client).catch(() =>
        context.output.note('The demo could not create its template.'),
      )
      const done = await playAll(context, options, client, controller.signal)
      report(context, done)
      if (options.events === undefined) await keepPageOpen(context, panoptes.server.link(), controller.signal)
    } finally {
      await panoptes.close()
    }
  } finally {
    unlisten()
    if (options.keep)
      context.output.note(`The demo home is ${home}. Use it with: PANOPTES_HOME=${home} panoptes up`)
    else await rm(home, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** The demo has no retention limits, because the simulated day is older than any limit. */
function demoConfig() {
  const checked = check(configSchema, { retention: { max_age_days: null, max_size_mb: null } })
  if (!checked.ok) throw new Error('the demo settings are invalid')
  return checked.value
}

async function showDemoLink({ output, env }: Context, link: string, options: DemoOptions): Promise<void> {
  const opened = options.open && options.events === undefined && (await openBrowser(planBrowser(env), link))
  output.note(opened ? `Opened in your browser: ${link}` : `Open this link: ${link}`)
  if (options.events === undefined) output.note('Press Ctrl-C to stop the demo.')
}

async function keepPageOpen({ output }: Context, link: string, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  output.note(`The day is over. The page stays up until Ctrl-C. New sign-in link: ${link}`)
  await waitForAbort(signal)
}

interface FinishedDemo {
  readonly played: PlayResult
  readonly verdict: Verdict
  readonly expected: Counters
  readonly counted: Counters
}

async function playAll(
  { output }: Context,
  options: DemoOptions,
  client: Client,
  signal: AbortSignal,
): Promise<FinishedDemo> {
  const before = (await client.json<StatusReply>('/api/status')).counters
  const progress = startProgress(output, 'Played events')
  const events = options.events ?? A_DAY
  const { seed, speed } = options
  try {
    const played = await play(client, { seed, events, speed, signal, onProgress: progress.update })
    if (signal.aborted && options.events !== undefined) throw stopped()
    const after = (await client.json<StatusReply>('/api/status')).counters
    const { counters, verdict } = compare(played.counters, before, after)
    return { played, verdict, expected: played.counters, counted: counters }
  } finally {
    progress.end()
  }
}

function report({ output }: Context, { played, verdict, expected, counted: found }: FinishedDemo): void {
  const { duplicates, rejected, events, tookMs } = played
  const rate = Math.round(events / Math.max(tookMs / 1000, 0.001))
  const head = `Played ${plural(events, 'event')} in ${duration(tookMs)} (${count(rate)} a second)`
  const equal = verdict.differences.length === 0
  if (duplicates > 0) {
    const next = 'To play a different day, use --seed.'
    throw new CommandFailure(`${head}; ${count(duplicates)} already existed`, { code: 'duplicates', next })
  }
  const end = equal
    ? "The store's counters match the generator's."
    : "The store's counters differ from the generator's."
  output.answer([head, '', ...verdict.table, '', end], {
    ok: equal,
    events,
    duplicates,
    rejected,
    took_ms: Math.round(tookMs),
    equal,
    differences: verdict.differences,
    generator: expected,
    ledger: found,
  })
  if (!equal) process.exitCode = EXIT.failed
}
