import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { alive, dayOfAgents, useLive } from './live-kit.ts'
import { eventually } from './page-kit.ts'

const { event } = dayOfAgents()
const live = useLive([event(0, { event: 'session_start', agent_id: 'main', project: 'atlas-api' })])
const of = { source: 'claude-code', session_id: 's1' }

/** Runs in the page: the browser's own notifications, remembered, since without a window nobody sees them. */
function keepNotes(): void {
  interface Shown {
    readonly title: string
    readonly body: string
    onclick: (() => void) | null
    close(): void
  }
  const scope = globalThis as unknown as {
    Notification: new (title: string, options: object) => Shown
    notes: Set<Shown>
    putAway: WeakSet<Shown>
  }
  scope.notes = new Set()
  scope.putAway = new WeakSet()
  scope.Notification = class extends scope.Notification {
    constructor(title: string, options: object) {
      super(title, options)
      scope.notes.add(this)
    }
    override close() {
      scope.putAway.add(this)
      super.close()
    }
  }
}

interface Note {
  readonly title: string
  readonly body: string
  readonly open: boolean
}

const notesOf = (page: Page): Promise<readonly Note[]> =>
  page.evaluate(() => {
    const scope = globalThis as unknown as { notes: Set<Note>; putAway: WeakSet<Note> }
    return [...scope.notes].map((note) => ({
      title: note.title,
      body: note.body,
      open: !scope.putAway.has(note),
    }))
  })

/** A page elsewhere than Live, where someone asked for notifications. */
async function openAsking(): Promise<Page> {
  const page = await live.open('/settings', { permissions: ['notifications'], own: true })
  await page.addInitScript(keepNotes)
  await page.reload()
  await page.getByRole('group', { name: 'When an agent needs you' }).getByText('On', { exact: true }).click()
  return page
}

describe('notifications', () => {
  it('tell who waits and what for, and go away when it goes on', async () => {
    const page = await openAsking()
    await live.post(
      { event: 'agent_spawn', ...of, id: 'm', subagent_type: 'migrator' },
      { event: 'agent_wait', ...of, agent_id: 'm', reason: 'allow Bash?', ts: Date.now() - 11_000 },
    )
    await eventually(async () => (await notesOf(page)).map(({ title }) => title)).toEqual([
      'migrator waits: allow Bash?',
    ])
    expect((await notesOf(page))[0]?.body).toMatch(/^atlas-api · \d+ s$/)
    await live.post({ event: 'tool_use', ...of, agent_id: 'm', id: 't1', tool: 'Bash' })
    await eventually(async () => (await notesOf(page))[0]?.open).toBe(false)
  })

  it('tell of a failure, and lead to the agent', async () => {
    const page = await openAsking()
    await live.post(
      { event: 'agent_spawn', ...of, id: 'c', subagent_type: 'checker' },
      { event: 'agent_done', ...of, id: 'c', outcome: 'fail' },
    )
    const failed = async () => (await notesOf(page)).some(({ title }) => title === 'checker failed')
    await eventually(failed).toBe(true)
    await page.evaluate(() => {
      const { notes } = globalThis as unknown as { notes: Set<{ title: string; onclick: () => void }> }
      for (const note of notes) if (note.title === 'checker failed') note.onclick()
    })
    await page.getByRole('complementary').getByRole('heading', { name: 'checker' }).waitFor()
  })

  it('do not come for what is in view', async () => {
    const page = await openAsking()
    await page.keyboard.press('1')
    await eventually(() => alive(page)).toBeGreaterThan(0)
    const before = (await notesOf(page)).length
    await live.post(
      { event: 'agent_spawn', ...of, id: 'v', subagent_type: 'viewed' },
      { event: 'agent_wait', ...of, agent_id: 'v', reason: 'allow Edit?', ts: Date.now() - 11_000 },
    )
    await page
      .getByRole('region', { name: /^Needs you/ })
      .getByText('viewed')
      .waitFor()
    // As long as several causes are gathered, and a little more.
    await page.waitForTimeout(6_000)
    expect((await notesOf(page)).slice(before)).toEqual([])
  })
})
