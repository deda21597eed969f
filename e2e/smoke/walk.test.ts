import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import type { PastSession } from '@panoptes/schema'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { axe } from '../axe.ts'
import { makeHome, ROOT, type TestHome } from '../command.ts'
import { type Daemon, startDaemon } from '../daemon.ts'
import { eventually, post, prompt, usePages } from '../page-kit.ts'

const RECORDED_SESSIONS = 4

const TEMPLATE = {
  name: 'morning',
  task_type: 'research',
  examples: [{ tool_name: 'web_search', arguments: { query: 'news' }, result: 'three hits', success: true }],
  description: 'Begins the day',
  created_at: 1_767_225_600,
  usage_count: 2,
  source_session_id: 'hermes-1',
}

const pages = usePages()
let models: ScriptedServer
let home: TestHome
let daemon: Daemon

/** A home with recorded Claude Code sessions, and scripted models for a preset and for Chat. */
beforeAll(async () => {
  models = await startScripted()
  models.script('small', { text: 'Look at the lock first.' })
  models.script('acting', { text: 'Make a copy before anything else.' })
  home = await makeHome()
  const slot = (model: string) => ({ provider: 'local', model })
  const config = {
    providers: { local: { kind: 'openai', base_url: `${models.url}/v1`, retries: 0 } },
    runtimes: { default: 'jarvis', jarvis: slot('small') },
    moa: {
      save_traces: true,
      presets: { review: { reference_models: [slot('small')], aggregator: slot('acting') } },
    },
  }
  await mkdir(home.panoptes, { recursive: true, mode: 0o700 })
  await writeFile(join(home.panoptes, 'config.yaml'), JSON.stringify(config))
  const projects = join(home.folder, '.claude', 'projects')
  await cp(join(ROOT, 'fixtures', 'claude-code', 'transcripts'), projects, { recursive: true })
  const templates = join(home.panoptes, 'templates')
  await mkdir(templates)
  await writeFile(join(templates, 'morning.json'), JSON.stringify(TEMPLATE))
  daemon = await startDaemon({ home })
  await vi.waitFor(async () => expect(await listSessions()).toHaveLength(RECORDED_SESSIONS), {
    timeout: 60_000,
    interval: 100,
  })
})
afterAll(async () => {
  await daemon?.stop()
  await models?.close()
  await home?.remove()
})

const listSessions = async () =>
  (await (await daemon.request('/api/past/sessions')).json()) as readonly PastSession[]

const rows = (page: Page) => page.locator('tbody tr')

/** Opens a page by its keyboard shortcut. */
async function goByKey(page: Page, key: string, heading: string): Promise<void> {
  await page.keyboard.press(key)
  await eventually(() => page.getByRole('heading', { level: 1 }).textContent()).toBe(heading)
}

describe('a walk through every page of a running Panoptes', () => {
  it('shows on each page what agents really did, and axe finds no violation', async () => {
    const page = await pages.open(daemon, '/', { viewport: { width: 1440, height: 900 } })
    const violations: string[] = []
    const check = async () => violations.push(...(await axe(page)))

    await visit(page, 'Live', async () => {
      await post(daemon, [
        {
          event: 'session_start',
          session_id: 'walk',
          agent_id: 'main',
          source: 'claude-code',
          title: 'A walk',
        },
        { ...prompt('Walk through the pages', 'walk'), source: 'claude-code' },
        { event: 'agent_spawn', session_id: 'walk', source: 'claude-code', id: 'w', parent_id: 'main' },
        {
          event: 'agent_wait',
          session_id: 'walk',
          source: 'claude-code',
          agent_id: 'w',
          reason: 'allow Bash?',
        },
      ])
      const graph = page.getByRole('img', { name: /^Graph of/ })
      await eventually(() => graph.getAttribute('data-agents').then(Number)).toBeGreaterThanOrEqual(2)
      await page
        .getByRole('region', { name: /^Needs you/ })
        .getByText('allow Bash?')
        .waitFor()
      await check()
    })

    await visit(page, 'Sessions', async () => {
      await goByKey(page, '2', 'Sessions')
      await eventually(() => rows(page).count()).toBe(RECORDED_SESSIONS)
      const parallel = rows(page).filter({ hasText: 'RUN:parallel' })
      await eventually(() => parallel.textContent()).toMatch(
        /notes.*claude-code.*claude-opus-4-8.*25.*10.*✕ 2.*\$0\.014/,
      )
      await parallel.click()
      await page
        .getByRole('region', { name: 'Transcript' })
        .getByText('End of the session: 25 messages')
        .waitFor()
      await check()
    })

    await visit(page, 'Achievements', async () => {
      await goByKey(page, '3', 'Achievements')
      await page.getByText(`${RECORDED_SESSIONS} sessions`).first().waitFor()
      await check()
    })

    await visit(page, 'Templates', async () => {
      await goByKey(page, '4', 'Templates')
      await rows(page).filter({ hasText: 'morning' }).getByText('research').first().waitFor()
      await check()
    })

    await visit(page, 'Ledger', async () => {
      await goByKey(page, '5', 'Ledger')
      await page
        .getByRole('main')
        .getByText(/\$0\.\d\d/)
        .first()
        .waitFor()
      await check()
    })

    await visit(page, 'MoA', async () => {
      await goByKey(page, '6', 'MoA')
      await page.getByLabel('Question').fill('Is it safe to drop the table?')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByText('Make a copy before anything else.').first().waitFor()
      await check()
    })

    await visit(page, 'Chat', async () => {
      await goByKey(page, '7', 'Chat')
      const field = page.getByLabel('Message', { exact: true })
      await field.fill('What do I do first?')
      await field.press('Enter')
      await page.getByRole('log', { name: 'Messages' }).getByText('Look at the lock first.').waitFor()
      await page.keyboard.press('Escape')
      await check()
    })

    await visit(page, 'Settings', async () => {
      await page.getByRole('link', { name: 'Settings' }).first().click()
      await page.getByRole('region', { name: 'About', exact: true }).getByText(daemon.address).waitFor()
      await check()
    })

    await visit(page, 'Events', async () => {
      await page.getByRole('link', { name: 'Events' }).first().click()
      await rows(page).filter({ hasText: 'Walk through the pages' }).first().waitFor()
      await check()
    })

    expect(violations).toEqual([])
  }, 180_000)
})

/** Names the page in the error if the walk fails there. */
async function visit(page: Page, name: string, steps: () => Promise<void>): Promise<void> {
  try {
    await steps()
  } catch (error) {
    throw new Error(`at ${name} (${page.url()}): ${error instanceof Error ? error.message : error}`, {
      cause: error,
    })
  }
}
