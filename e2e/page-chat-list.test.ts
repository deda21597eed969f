import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { head, message } from '../packages/web/src/chat/chat.test-kit.ts'
import { listed } from '../packages/web/src/templates/templates.test-kit.ts'
import { axe, expectNothingInBothThemes, followSystem } from './axe.ts'
import { phone } from './live-kit.ts'
import { answers, atRest, field, log, pick, region, useChat, write } from './page-chat-kit.ts'
import { eventually, focused, type WindowOptions } from './page-kit.ts'

const { pages, daemon, open, make, made } = useChat()

describe('what was sent', () => {
  it('is shown section by section and word for word, with the facts that were kept', async () => {
    const page = await open(`/chat?c=${await make()}`)
    await page.getByRole('button', { name: 'Facts about you' }).click()
    const dialog = page.getByRole('dialog', { name: 'Facts about you' })
    await dialog.getByLabel('Keep in mind').fill('I prefer short answers.')
    await page.keyboard.press('Enter')
    await dialog.getByRole('listitem').filter({ hasText: 'I prefer short answers.' }).waitFor()
    await page.keyboard.press('Escape')
    await write(page, 'Read the log, then change the parser, then run the tests.')
    await atRest(page)
    await region(page, 'Plan').getByText('3 of 3').waitFor()
    const sent = region(page, 'What was sent')
    await sent.getByText('About you').waitFor()
    await sent.getByRole('button', { name: 'Open as sent' }).click()
    const whole = page.getByRole('dialog', { name: 'As it was sent' })
    await whole.getByText('1. Read the log').waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Escape')
    await write(page, 'And then?')
    await region(page, 'Plan').getByText('One step').waitFor()
    await atRest(page)
    await sent.getByRole('button', { name: 'Open as sent' }).click()
    await whole.getByText('The messages before this one, word for word').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Facts about you' }).click()
    await dialog.getByRole('button', { name: 'Forget “I prefer short answers.”' }).click()
    await dialog.getByText('Nothing is kept yet.').waitFor()
  })
})

describe('a template', () => {
  it('is chosen after a slash; where it is gone meanwhile that is said, and the message can be sent again', async () => {
    const json = {
      templates: [{ ...listed(), name: 'careful-review' }],
      broken: [],
      folder: '',
      experiment: null,
    }
    const page = await open(`/chat?c=${await make()}`, {
      first: (window) => window.route(/\/api\/templates$/, (route) => route.fulfill({ json })),
    })
    await field(page).fill('/rev')
    await page.getByRole('option', { name: /careful-review/ }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Template: careful-review' }).waitFor()
    await write(page, 'Look at it.')
    await page.getByText(/^That did not work: .*careful-review/).waitFor()
    expect(await field(page).inputValue()).toBe('Look at it.')
    await page.getByRole('button', { name: 'Template: careful-review' }).waitFor()
    // The browser says so when a request is refused.
    await pages.closeUnheard()
  })
})

describe('conversations', () => {
  it('are made, named, gone through and found by keys alone', async () => {
    const [older, newer] = [await made('about the older lock'), await made('about the newer lock')]
    const page = await open('/chat')
    await page.getByRole('link', { name: /about the newer lock/ }).waitFor()
    await page.keyboard.press('j')
    await eventually(() => page.url()).toContain(newer)
    await page.keyboard.press('j')
    await eventually(() => page.url()).toContain(older)
    await page.keyboard.press('c')
    await eventually(async () => (await focused(page))?.name).toBe('Message')
    await page.keyboard.type('by keys alone')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('on two lines')
    await page.keyboard.press('Enter')
    await answers(page).getByText('It is empty there.').waitFor()
    await atRest(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.keyboard.type('older')
    await eventually(() =>
      page.getByRole('navigation', { name: 'Conversations' }).getByRole('link').count(),
    ).toBe(1)
    await page.getByRole('link', { name: /older lock/ }).press('Enter')
    await eventually(() => page.url()).toContain(older)
    await page.getByRole('button', { name: /Rename$/ }).press('Enter')
    await page.keyboard.type('Renamed lock')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /^Renamed lock/ }).waitFor()
  })

  it('are in view when they begin, say how the last answer ended, and how many of all are found', async () => {
    for (let n = 0; n < 40; n += 1) await make({ title: `Other ${n}` })
    const page = await open('/chat')
    const list = page.getByRole('navigation', { name: 'Conversations' })
    await list.getByRole('link').last().scrollIntoViewIfNeeded()
    await list.getByRole('button', { name: 'New conversation' }).click()
    await pick(page, 'Model', /broken/)
    await write(page, 'Where is the needle?')
    const own = list.getByRole('link', { name: /^Where is the needle/ })
    await eventually(() => own.getAttribute('aria-current')).toBe('page')
    await own.filter({ hasText: /failed.*now/ }).waitFor()
    const tops = await Promise.all([list.getByRole('list').boundingBox(), own.boundingBox()])
    expect(tops[1]?.y).toBeGreaterThanOrEqual(tops[0]?.y ?? Number.POSITIVE_INFINITY)
    await page.getByRole('textbox', { name: 'Find' }).fill('needle')
    await page.getByText(/^1 of \d+ conversations/).waitFor()
  })

  it('are forked from a message, saved as files, and deleted with ten seconds to think about it', async () => {
    const id = await made('to be deleted')
    const page = await open(`/chat?c=${id}`)
    await answers(page).getByRole('button', { name: 'Fork from here' }).click()
    await eventually(() => page.url()).not.toContain(id)
    await page.getByRole('link', { name: 'Fork', exact: true }).waitFor()
    await page.getByRole('link', { name: /to be deleted.*fork/ }).waitFor()
    await page.getByRole('button', { name: 'Export' }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Save as Markdown' }).click()
    expect((await saved).suggestedFilename()).toBe('to-be-deleted.md')
    await page.goto(`${daemon().address}/chat?c=${id}`)
    await page.getByRole('button', { name: 'Delete the conversation' }).click()
    await page.getByText('“to be deleted” deleted').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.goto(`${daemon().address}/chat?c=${id}`)
    await page.getByRole('button', { name: 'Delete the conversation' }).click()
    await page.goto(`${daemon().address}/settings`)
    await eventually(async () => (await daemon().request(`/api/conversations/${id}`)).status).toBe(404)
  })
})

/** A conversation of two thousand messages, which no model has to say. */
const LONG = Array.from({ length: 2_000 }, (_, n) =>
  message(`m${n}`, n % 2 === 0 ? 'user' : 'assistant', {
    content:
      n % 2 === 0 ? `Question ${n}` : `Answer ${n}\n\n- one\n- two\n\n\`\`\`ts\nconst a = ${n}\n\`\`\``,
    runtime: n % 2 === 0 ? null : n % 10 === 9 ? 'acp:scripted' : 'jarvis',
    ts: Date.now() - (2_000 - n) * 60_000,
  }),
)

/** The last so many of them. */
async function openLong(count = LONG.length, options: WindowOptions = {}): Promise<Page> {
  const page = await open('/chat?c=long', { ...options, first: (window) => answerLong(window, count) })
  await log(page).getByText('Answer 1999').waitFor()
  return page
}

async function answerLong(page: Page, count: number): Promise<void> {
  const messages = LONG.slice(-count)
  const whole = { ...head('long'), agent_state: { v: 1, active: null, runtimes: {} }, messages }
  await page.route(/\/api\/conversations\/long$/, (route) => route.fulfill({ json: whole }))
  await page.route(/\/api\/conversations\/long\/messages/, (route) =>
    route.fulfill({
      json: {
        sections: [
          {
            ...{ key: 'notes', title: 'Your notes', status: 'unavailable', note: 'no answer within 300 ms' },
            ...{ chars: 0, tokens: 0, items: 0, left_out: 0, truncated: false },
          },
          {
            ...{ key: 'recalled', title: 'Recalled memory', status: 'ok', chars: 9_000, tokens: 1_900 },
            ...{ items: 6, left_out: 35, truncated: true },
          },
        ],
        skills: {
          skills: [{ name: 'deploy', description: '', of: 'Hermes', score: 1.42, reasons: ['its name'] }],
          left_out: 49,
          status: 'ok',
        },
        plan: { decision: 'sequential', worthiness: 1.1, reasons: [], nodes: [], edges: [] },
        template: 'review',
        budget_tokens: 32_000,
      },
    }),
  )
}

describe('a long conversation', () => {
  it('opens at its end, draws what is near, and is scrolled without a hitch', async () => {
    const page = await openLong()
    const drawn = () => log(page).getByRole('article').count()
    expect(await drawn()).toBeLessThan(200)
    const slowest = await log(page).evaluate(async (element) => {
      const scope = globalThis as unknown as { requestAnimationFrame(run: (at: number) => void): void }
      const scroll = element as unknown as { scrollTop: number }
      const frame = () => new Promise<number>((done) => scope.requestAnimationFrame(done))
      let before = await frame()
      let most = 0
      for (let n = 0; n < 40; n += 1) {
        scroll.scrollTop -= 900
        const now = await frame()
        most = Math.max(most, now - before)
        before = now
      }
      return most
    })
    expect(slowest).toBeLessThan(500)
    expect(await drawn()).toBeLessThan(300)
    await page.getByRole('button', { name: 'To the end' }).click()
    await eventually(() => log(page).getByText('Answer 1999').isVisible()).toBe(true)
    await page.goto(`${daemon().address}/chat?c=long&m=m801`)
    await eventually(() => log(page).getByText('Answer 801', { exact: true }).isVisible()).toBe(true)
  })
})

describe('in every theme and width', () => {
  it('has nothing that a screen reader or a weak eye would stumble over', async () => {
    const page = await openLong(12)
    await followSystem(page)
    await region(page, 'What was sent').getByText('no answer within 300 ms').waitFor()
    await page.getByRole('button', { name: 'Why these 1 skill' }).click()
    await page.getByRole('button', { name: /^Runtime:/ }).click()
    await page.getByRole('menuitemradio', { name: /nobody.*not installed/ }).waitFor()
    await page.keyboard.press('Escape')
    const runtimes = region(page, 'Runtimes')
    expect(await runtimes.getByText('panoptes-no-such-agent').count()).toBe(0)
    await runtimes.getByRole('button', { name: /nobody/ }).click()
    await runtimes.getByText('panoptes-no-such-agent').waitFor()
    await expectNothingInBothThemes(page, 'a conversation')
  })

  it('fits a phone: list and panel come over the messages, and nothing is cut off', async () => {
    const page = await openLong(12, phone)
    await page.getByRole('button', { name: 'All conversations' }).click()
    await page.getByRole('dialog', { name: 'Conversations' }).getByRole('link').first().waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Plan and what was sent' }).click()
    await region(page, 'What was sent').waitFor()
    const [inner, outer] = await page.evaluate(() => {
      const scope = globalThis as unknown as {
        innerWidth: number
        document: { documentElement: { scrollWidth: number } }
      }
      return [scope.document.documentElement.scrollWidth, scope.innerWidth] as const
    })
    expect(inner).toBeLessThanOrEqual(outer)
  })
})
