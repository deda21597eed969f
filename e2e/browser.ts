import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { inject } from 'vitest'
import { MissingPart } from './setup/parts.ts'

export interface OpenPage {
  readonly page: Page
  /** Console errors, uncaught exceptions and violations of the content security policy, as they occur. */
  readonly complaints: readonly string[]
  readonly close: () => Promise<void>
}

let connection: Promise<Browser> | undefined

/** The one browser of this run. */
function browser(): Promise<Browser> {
  const endpoint = inject('browser')
  if (typeof endpoint !== 'string') throw new MissingPart(endpoint.missing)
  connection ??= chromium.connect(endpoint, { timeout: 30_000 })
  return connection
}

/** Opens a window with its own cookies, and collects its complaints. */
export async function openPage(url?: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await (await browser()).newContext({ reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(30_000)
  const complaints: string[] = []
  await context.exposeBinding('__panoptesComplain', (_source, text: string) => void complaints.push(text))
  await context.addInitScript(reportViolations)
  const page = await context.newPage()
  page.on('console', (line) => {
    if (line.type() === 'error') complaints.push(`console: ${line.text()} ${line.location().url}`)
  })
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`))
  if (url !== undefined) await page.goto(url)
  return { page, complaints, close: () => context.close() }
}

/** Runs in the page and logs each violation of its content security policy. */
function reportViolations(): void {
  const scope = globalThis as unknown as {
    addEventListener(
      kind: string,
      listener: (event: { violatedDirective: string; blockedURI: string }) => void,
    ): void
    __panoptesComplain(text: string): void
  }
  scope.addEventListener('securitypolicyviolation', (event) =>
    scope.__panoptesComplain(`policy: ${event.violatedDirective} ${event.blockedURI}`),
  )
}
