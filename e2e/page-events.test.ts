import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Daemon, startDaemon } from './daemon.ts'
import {
  drawnSeqs,
  EVENTS,
  eventually,
  post,
  postDay,
  prompt,
  rows,
  stored,
  topSeq,
  usePages,
} from './page-kit.ts'

const pages = usePages()
let daemon: Daemon

beforeAll(async () => {
  daemon = await startDaemon()
  await postDay(daemon, 2_000)
})
afterAll(() => daemon?.stop())

function open(query = '', at: Daemon = daemon): Promise<Page> {
  return pages.open(at, `${EVENTS}${query}`)
}

const lastSeq = async () => (await stored(daemon, 'limit=1')).last
const panel = (page: Page) => page.getByRole('complementary')

describe('the live end', () => {
  it('says what to do while there is nothing, and shows the first event as it comes', async () => {
    const fresh = await startDaemon()
    try {
      const page = await open('', fresh)
      await page.getByRole('heading', { name: 'No events yet' }).waitFor()
      await page.getByText('npx panoptes demo').waitFor()
      await post(fresh, [prompt('the very first')])
      await page.getByText('“the very first”').waitFor()
      expect(await rows(page).count()).toBe(1)
      await pages.closeUnheard()
    } finally {
      await fresh.stop()
    }
  })

  it('shows an event on top as soon as it is stored', async () => {
    const page = await open()
    await rows(page).first().waitFor()
    await post(daemon, [prompt('posted just now')])
    await eventually(() => rows(page).first().textContent()).toContain('“posted just now”')
    const seqs = await drawnSeqs(page)
    expect(seqs).toEqual([...seqs].sort((a, b) => b - a))
    expect(seqs[0]).toBe(await lastSeq())
  })

  it('keeps up with thousands of events at once without losing one', async () => {
    const page = await open()
    await rows(page).first().waitFor()
    const before = await lastSeq()
    for (let i = 0; i < 5; i += 1)
      await post(
        daemon,
        Array.from({ length: 2_000 }, (_, n) => prompt(`burst ${i} ${n}`)),
      )
    await eventually(() => topSeq(page)).toBe(before + 10_000)
    const seqs = await drawnSeqs(page)
    seqs.forEach((seq, i) => {
      expect(seq).toBe(before + 10_000 - i)
    })
    await eventually(() => rows(page).first().textContent()).toContain('burst 4 1999')
  })

  it('holds while it is paused and goes on from the newest', async () => {
    const page = await open()
    await rows(page).first().waitFor()
    await page.keyboard.press('Space')
    await page.getByText('Paused.').waitFor()
    const top = await topSeq(page)
    await post(daemon, [prompt('while paused'), prompt('while paused too')])
    await page.getByRole('button', { name: '2 newer' }).waitFor()
    expect(await topSeq(page)).toBe(top)
    await page.keyboard.press('l')
    await eventually(() => rows(page).first().textContent()).toContain('“while paused too”')
  })
})

describe('an open event', () => {
  it('is moved along by keys while the list holds, and given back by Escape', async () => {
    const page = await open()
    await rows(page).first().waitFor()
    const top = await topSeq(page)
    await page.keyboard.press('j')
    await panel(page).getByText(`"seq"`).waitFor()
    expect(page.url()).toContain(`event=${top}`)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await eventually(() => page.url()).toContain(`event=${top - 2}`)
    await page.keyboard.press('k')
    await eventually(() => page.url()).toContain(`event=${top - 1}`)
    await post(daemon, [prompt('newer than the open one')])
    await page.getByRole('button', { name: '1 newer' }).waitFor()
    expect(await topSeq(page)).toBe(top)
    await page.keyboard.press('Escape')
    await panel(page).waitFor({ state: 'detached' })
    await eventually(() => topSeq(page)).toBe(top + 1)
  })

  it('shows its JSON as text, whatever an agent wrote into it', async () => {
    const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
    await post(daemon, [{ ...prompt(hostile), session_id: 'hostile' }])
    const page = await open('?session=hostile')
    await rows(page).first().click()
    await panel(page).getByText('onerror').waitFor()
    expect(await panel(page).locator('img, script').count()).toBe(0)
    expect(await page.title()).toMatch(/^(\(\d+\) )?Events · Panoptes$/)
  })

  it('leads to the other events of the same call', async () => {
    await post(daemon, [
      { event: 'tool_use', session_id: 'calls', agent_id: 'a1', id: 'toolu_x', tool: 'Bash', key: 'use-x' },
      prompt('in between', 'calls'),
      {
        event: 'tool_done',
        session_id: 'calls',
        agent_id: 'a1',
        id: 'toolu_x',
        tool: 'Bash',
        ok: false,
        key: 'done-x',
      },
    ])
    const page = await open('?session=calls')
    await page.getByText('✕ Bash').waitFor()
    await page.keyboard.press('j')
    await panel(page).getByText('Same call').waitFor()
    await panel(page)
      .getByRole('button', { name: /tool_use/ })
      .click()
    await eventually(() => panel(page).getByRole('heading', { level: 2 }).textContent()).toBe('tool_use')
    await panel(page).getByRole('button', { name: 'Only this agent' }).click()
    await eventually(() => rows(page).count()).toBe(2)
    expect(page.url()).toContain('agent=a1')
  })

  it('says so when it is not there', async () => {
    const page = await open('?event=999999999')
    await panel(page).getByText('This event is not in the ledger.').waitFor()
  })
})

describe('what went wrong', () => {
  it('counts refused lines and says why the last one was', async () => {
    const page = await open()
    const reply = await post(daemon, [{ event: 'prompt' }])
    expect(reply.rejected.length).toBe(1)
    await page
      .getByRole('region', { name: 'How the stream is doing' })
      .getByText(/last: line 1, session_id/)
      .waitFor()
  })

  it('says what the stream missed, and catches up', async () => {
    const page = await pages.open(daemon, '/settings', { own: true })
    const first = (await lastSeq()) + 1
    await page.routeWebSocket(/\/stream/, (line) => {
      const server = line.connectToServer()
      server.onMessage((message) => {
        const frame = JSON.parse(String(message)) as { readonly type: string }
        if (frame.type !== 'event' && frame.type !== 'batch') return line.send(message)
        // As if this page had been too slow for what is between.
        if (!String(message).includes('after the gap')) return
        line.send(JSON.stringify({ type: 'gap', from: first, to: first + 211 }))
        line.send(message)
      })
    })
    await page.goto(`${daemon.address}${EVENTS}`)
    await rows(page).first().waitFor()
    await post(
      daemon,
      Array.from({ length: 212 }, (_, n) => prompt(`missed ${n}`)),
    )
    await post(daemon, [prompt('after the gap')])
    await page.getByText('Missed 212 events, catching up').waitFor()
    await eventually(() => rows(page).nth(1).textContent()).toContain('“missed 211”')
    expect(await topSeq(page)).toBe(first + 212)
    await page.getByText('Missed 212 events, catching up').waitFor({ state: 'detached' })
  })
})
