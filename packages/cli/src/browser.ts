import { spawn } from 'node:child_process'
import { withUserUmask } from './umask.ts'

export type BrowserPlan =
  | { readonly opens: true; readonly program: string; readonly detail: string }
  | { readonly opens: false; readonly detail: string }

type Environment = Readonly<Record<string, string | undefined>>

/** Decides whether and with which program a browser can open. It never opens in CI, or over SSH without a display. */
export function planBrowser(
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): BrowserPlan {
  const has = (name: string) => (env[name] ?? '') !== ''
  if (has('CI')) return { opens: false, detail: 'Browsers are not opened in CI' }
  const display = has('DISPLAY') || has('WAYLAND_DISPLAY')
  const remote = has('SSH_CONNECTION') || has('SSH_TTY')
  if (remote && !display) return { opens: false, detail: 'Browsers are not opened over SSH' }
  if (platform === 'darwin') return { opens: true, program: 'open', detail: 'Opens with open' }
  if (display) return { opens: true, program: 'xdg-open', detail: 'Opens with xdg-open' }
  return { opens: false, detail: 'There is no display' }
}

/** Opens a URL. The result says whether the program could be started. */
export const openBrowser = (plan: BrowserPlan, url: string): Promise<boolean> =>
  plan.opens ? withUserUmask(() => startProgram(plan.program, url)) : Promise.resolve(false)

function startProgram(program: string, url: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const child = spawn(program, [url], { stdio: 'ignore', detached: true })
  child.once('error', () => resolve(false))
  child.once('spawn', () => resolve(true))
  child.unref()
  return promise
}
