import { type Browser, chromium, type Page } from 'playwright-core'
import { type Daemon, startDaemon } from '../e2e/daemon.ts'
import { launchBrowser } from '../e2e/setup/browser-server.ts'
import { requireChromium } from '../e2e/setup/chromium.ts'
import { scriptPerFrame, type TraceEvent } from './live-trace.ts'
import { quantile } from './statistics.ts'

const A_SESSION = 20
const PULSES_PER_SECOND = 200
const TOOLS = ['Bash', 'Read', 'Edit', 'Grep', 'WebFetch']

export interface Frames {
  readonly agents: number
  readonly view: string
  readonly frames_per_second: number
  readonly p50_ms: number
  readonly p95_ms: number
}

interface Named {
  readonly session_id: string
  readonly agent_id: string
}

/** Measures script per frame on the live page while agents call tools, zoomed out and zoomed in. */
export async function framesWith(agents: number, seconds: number): Promise<readonly Frames[]> {
  const daemon = await startDaemon()
  const server = await launchBrowser(await requireChromium())
  const browser = await chromium.connect(server.wsEndpoint())
  try {
    const names = await populate(daemon, agents)
    const page = await openLive(browser, daemon)
    const work = () => pulse(daemon, names, seconds)
    const far = await traced(browser, page, work)
    const closer = page.getByRole('button', { name: 'Zoom in' })
    for (let n = 0; n < 8; n += 1) await closer.click()
    await page.waitForTimeout(500)
    const close = await traced(browser, page, work)
    return [
      { agents, view: 'as it opens', ...far },
      { agents, view: 'close', ...close },
    ]
  } finally {
    await browser.close()
    await server.close()
    await daemon.stop()
  }
}

async function post(daemon: Daemon, events: readonly object[]): Promise<void> {
  const body = events.map((event) => JSON.stringify(event)).join('\n')
  const reply = await daemon.request('/events', { method: 'POST', body })
  if (!reply.ok) throw new Error(`POST /events answered ${reply.status}`)
}

/** Creates sessions of twenty working agents: one root, and others of which some have a child. */
async function populate(daemon: Daemon, agents: number): Promise<readonly Named[]> {
  const names: Named[] = []
  for (let at = 0; at < agents; at += A_SESSION) {
    const session_id = `bench-${at / A_SESSION}`
    const model = ['claude-opus-5-5', 'claude-sonnet-5', 'gpt-5.4'][(at / A_SESSION) % 3]
    const events: object[] = [{ event: 'prompt', session_id, prompt_preview: 'Go on', source: 'claude-code' }]
    names.push({ session_id, agent_id: 'main' })
    for (let n = 1; n < Math.min(A_SESSION, agents - at); n += 1) {
      const parent_id = n > 10 ? `agent-${n - 10}` : 'main'
      const id = `agent-${n}`
      events.push({ event: 'agent_spawn', session_id, source: 'claude-code', id, parent_id, model })
      names.push({ session_id, agent_id: id })
    }
    await post(daemon, events)
  }
  return names
}

/** Sends two hundred tool calls a second in small batches, as many hooks at once would. */
async function pulse(daemon: Daemon, names: readonly Named[], seconds: number): Promise<void> {
  const start = performance.now()
  const total = seconds * PULSES_PER_SECOND
  for (let given = 0; given < total; ) {
    const due = Math.min(total, Math.ceil(((performance.now() - start) / 1_000) * PULSES_PER_SECOND))
    const calls = Array.from({ length: due - given }, (_, n) => ({
      event: 'tool_use',
      source: 'claude-code',
      id: `call-${start}-${given + n}`,
      tool: TOOLS[(given + n) % TOOLS.length],
      ...names[Math.floor((((given + n) * 0.618_034) % 1) * names.length)],
    }))
    given = due
    if (calls.length > 0) await post(daemon, calls)
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
}

async function openLive(browser: Browser, daemon: Daemon): Promise<Page> {
  const context = await browser.newContext({
    reducedMotion: 'no-preference',
    viewport: { width: 1440, height: 900 },
  })
  const page = await context.newPage()
  await page.goto(daemon.link)
  await page.goto(`${daemon.address}/`)
  await page.locator('canvas').first().waitFor()
  // The layout is computed in a worker, and then all agents move to their positions.
  await page.waitForTimeout(3_000)
  return page
}

async function traced(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<Omit<Frames, 'agents' | 'view'>> {
  const categories = [
    'devtools.timeline',
    'devtools.timeline.frame',
    'disabled-by-default-devtools.timeline.frame',
    'v8',
  ]
  await browser.startTracing(page, { categories })
  const start = performance.now()
  await work()
  const seconds = (performance.now() - start) / 1_000
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const script = scriptPerFrame(trace.traceEvents)
  const frames_per_second = script.length / seconds
  return { frames_per_second, p50_ms: quantile(script, 0.5), p95_ms: quantile(script, 0.95) }
}
