import type { MoaTurn } from '@panoptes/schema'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { ScriptedServer } from '../packages/engine/src/models/providers/scripted.test-kit.ts'
import type { TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { homeWithModels, scriptModels } from './moa-home.ts'
import { usePages, type WindowOptions } from './page-kit.ts'

/** A daemon with scripted models for all tests of a file, and windows for each. */
export function useMoa() {
  const pages = usePages()
  let home: TestHome
  let models: ScriptedServer
  let daemon: Daemon
  beforeAll(async () => {
    ;({ home, models } = await homeWithModels())
    daemon = await startDaemon({ home })
  })
  beforeEach(() => scriptModels(models))
  afterAll(async () => {
    await daemon?.stop()
    await models?.close()
    await home?.remove()
  })
  return {
    pages,
    models: () => models,
    open: (path: string, options: WindowOptions = {}): Promise<Page> =>
      pages.open(daemon, path, { viewport: { width: 1440, height: 900 }, ...options }),
    ask: async <T>(path: string): Promise<T> => (await (await daemon.request(path)).json()) as T,
    /** Runs a preset to its end, as the page does. */
    run: async (preset: string, prompt: string): Promise<MoaTurn> => {
      const answer = await daemon.request('/api/moa/run', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ preset, prompt }),
      })
      const last = (await answer.text()).trim().split('\n').at(-1) ?? ''
      return (JSON.parse(last) as { readonly turn: MoaTurn }).turn
    },
    /** What a client of the gateway sends. */
    chat: async (session: string, messages: readonly object[]): Promise<void> => {
      const answer = await fetch(`${daemon.address}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${await daemon.token('gateway')}`,
          'x-panoptes-session-id': session,
        },
        body: JSON.stringify({ model: 'moa/review', messages }),
      })
      expect(answer.status).toBe(200)
      await answer.text()
    },
    switchTraces: (save: boolean) =>
      daemon.request('/api/moa/traces', {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ save }),
      }),
  }
}

export const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()
export const block = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
export const reference = (page: Page, place: number) =>
  block(page, 'References').getByRole('listitem').nth(place)
