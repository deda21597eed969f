import { conversation as conversationSchema, type StoredChatMessage } from '@panoptes/schema'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ScriptedAgent } from '../packages/engine/src/chat/runtimes/acp/scripted-agent.test-kit.ts'
import type { ScriptedServer } from '../packages/engine/src/models/providers/scripted.test-kit.ts'
import { head, message } from '../packages/web/src/chat/chat.test-kit.ts'
import { axe, expectNothingInBothThemes, followSystem } from './axe.ts'
import type { TestHome } from './command.ts'
import type { CutLine } from './cut-line.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { COUNTED, type GatedModel } from './gated-model.ts'
import { phone } from './live-kit.ts'
import { HOSTILE, homeWithRuntimes, scriptTalk } from './page-chat-home.ts'
import { eventually, focused, usePages, type WindowOptions } from './page-kit.ts'

const pages = usePages()
let home: TestHome
let models: ScriptedServer
let agent: ScriptedAgent
let line: CutLine
let gated: GatedModel
let daemon: Daemon

beforeAll(async () => {
  ;({ home, models, agent, line, gated } = await homeWithRuntimes())
  daemon = await startDaemon({ home })
  line.lead(daemon.port)
})
beforeEach(() => scriptTalk(models, agent))
afterAll(async () => {
  await line?.close()
  await daemon?.stop()
  await agent?.close()
  await models?.close()
  await gated?.close()
  await home?.remove()
})

const open = (path: string, options: WindowOptions = {}): Promise<Page> =>
  pages.open(daemon, path, { viewport: { width: 1440, height: 900 }, ...options })
const post = (path: string, body: object = {}) =>
  daemon.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const make = async (body: object = {}): Promise<string> =>
  ((await (await post('/api/conversations', body)).json()) as { readonly id: string }).id
/** Says something and hears the answer to its end, as the terminal does. */
const say = async (id: string, text: string, more: object = {}): Promise<void> => {
  const answer = await post(`/api/conversations/${id}/chat`, { message: text, ...more })
  expect(answer.status).toBe(200)
  await answer.text()
}
const made = async (text: string, more: object = {}): Promise<string> => {
  const id = await make()
  await say(id, text, more)
  return id
}
const stored = async (id: string): Promise<readonly StoredChatMessage[]> =>
  conversationSchema.parse(await (await daemon.request(`/api/conversations/${id}`)).json()).messages

const field = (page: Page) => page.getByLabel('Message', { exact: true })
const log = (page: Page) => page.getByRole('log', { name: 'Messages' })
const answers = (page: Page) => log(page).getByRole('article', { name: /^(Jarvis|scripted|Hermes)/ })
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const write = async (page: Page, text: string): Promise<void> => {
  await field(page).fill(text)
  await field(page).press('Enter')
}
const atRest = (page: Page) => page.getByRole('button', { name: 'Send' }).waitFor()
const pick = async (page: Page, what: string, name: RegExp): Promise<void> => {
  await page.getByRole('button', { name: new RegExp(`^${what}:`) }).click()
  await page.getByRole('menuitemradio', { name }).click()
}
const wordsOf = async (one: Locator): Promise<readonly string[]> =>
  (await one.innerText()).match(/word\d+/g) ?? []

interface Given {
  readonly name: string
  readonly type: string
  readonly content: string
}

/** Pastes or drops a file, as a person does. */
const give = (to: Locator, how: 'paste' | 'drop', file: Given): Promise<void> =>
  to.evaluate(
    (element, { way, name, type, content }) => {
      interface Transfer {
        readonly items: { add(file: object): void }
      }
      const scope = globalThis as unknown as {
        DataTransfer: new () => Transfer
        ClipboardEvent: new (kind: string, init: object) => object
        DragEvent: new (kind: string, init: object) => object
      }
      const data = new scope.DataTransfer()
      data.items.add(new File([content], name, { type }))
      const how = { bubbles: true, cancelable: true }
      const event =
        way === 'paste'
          ? new scope.ClipboardEvent('paste', { ...how, clipboardData: data })
          : new scope.DragEvent('drop', { ...how, dataTransfer: data })
      ;(element as unknown as { dispatchEvent(event: object): void }).dispatchEvent(event)
    },
    { ...file, way: how },
  )

describe('before the first conversation', () => {
  it('is one key away, and a starter is asked with one press', async () => {
    const page = await open('/settings')
    await page.keyboard.press('7')
    await page.getByRole('heading', { name: 'What is it about?' }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'What did my agents do today?' }).click()
    await answers(page).getByText('It is empty there.').waitFor()
    await eventually(() => page.url()).toContain('c=chat-')
    await page.getByRole('link', { name: /^What did my agents do today/ }).waitFor()
  })

  it('says of every runtime what is missing, with lines for the config, where none is ready', async () => {
    const page = await open('/settings')
    const missing = { id: 'jarvis', title: 'Jarvis', state: 'not_configured', models: [], is_default: true }
    await page.route(/\/api\/runtimes$/, (route) =>
      route.fulfill({
        json: { runtimes: [{ ...missing, detail: 'Name a provider and model.', transport: null }] },
      }),
    )
    await page.goto(`${daemon.address}/chat`)
    await page.getByRole('heading', { name: 'No runtime is ready' }).waitFor()
    await region(page, 'For config.yaml').getByText('runtimes:').waitFor()
    await region(page, 'For config.yaml').getByRole('button', { name: 'Copy' }).waitFor()
    expect(await axe(page)).toEqual([])
  })
})

describe('an answer', () => {
  it('comes word by word, and is drawn as what it says, never as what it would do', async () => {
    const page = await open(`/chat?c=${await make()}`)
    await pick(page, 'Model', /rich/)
    await write(page, 'What now?')
    await page.getByText('What to do').waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    await atRest(page)
    const answer = answers(page)
    expect(await answer.getByRole('heading', { name: 'What to do' }).getAttribute('aria-level')).toBe('4')
    expect(await answer.getByRole('listitem').count()).toBe(2)
    expect(await answer.getByRole('cell', { name: '18,204' }).count()).toBe(1)
    expect(await answer.locator('pre .text-done').textContent()).toContain('+ const rate = read(cell)')
    await answer.getByText(HOSTILE).waitFor()
    expect(await answer.getByRole('link').count()).toBe(1)
    expect(await answer.locator('img').count()).toBe(0)
    expect(await page.title()).toBe('Chat · Panoptes')
    await answer.getByRole('button', { name: 'Copy the code' }).focus()
    await eventually(() =>
      page
        .getByRole('status')
        .filter({ hasText: /^Jarvis: ## What to do/ })
        .count(),
    ).toBe(1)
  })

  it('is stopped with Escape, kept as far as it came, and the next one works', async () => {
    const id = await make()
    const page = await open(`/chat?c=${id}`)
    await pick(page, 'Model', /counts/)
    gated.allow(5)
    await write(page, 'Count.')
    await answers(page).getByText('word5').waitFor()
    await page.keyboard.press('Escape')
    await answers(page).getByText('stopped', { exact: true }).waitFor()
    expect(await wordsOf(answers(page))).toEqual(COUNTED.slice(0, 5))
    const [, kept] = await stored(id)
    expect(kept).toMatchObject({ status: 'cancelled', error: null, content: COUNTED.slice(0, 5).join(' ') })
    await pick(page, 'Model', /talker/)
    await write(page, 'And now?')
    await answers(page).last().getByText('It is empty there.').waitFor()
  })

  it('goes on over a reload and a cut line, in two windows at once, and misses nothing', async () => {
    const id = await make()
    const page = await pages.open({ ...daemon, address: line.address }, `/chat?c=${id}`)
    await pick(page, 'Model', /counts/)
    gated.allow(3)
    await write(page, 'Count.')
    await answers(page).getByText('word3').waitFor()
    await page.reload()
    gated.allow(8)
    await answers(page).getByText('word8').waitFor()
    const other = await open(`/chat?c=${id}`)
    await answers(other).getByText('word8').waitFor()
    line.cut()
    await page.getByText('this page is catching up').waitFor()
    gated.allow(20)
    await answers(other).getByText('word20').waitFor()
    expect(await wordsOf(answers(page))).toEqual(COUNTED.slice(0, 8))
    const resumed = page.waitForRequest((request) =>
      (request.headers()['last-event-id'] ?? '').startsWith('run-'),
    )
    line.mend()
    await resumed
    await answers(page).getByText('word20').waitFor()
    gated.allow(COUNTED.length)
    for (const one of [page, other]) {
      await atRest(one)
      expect(await wordsOf(answers(one))).toEqual(COUNTED)
    }
    // The browser says so when a line is cut.
    await pages.closeUnheard()
  })

  it('is asked for by another window or the terminal, and seen here', async () => {
    const id = await make()
    const page = await open(`/chat?c=${id}`)
    await page.getByText('Nothing was said yet.').waitFor()
    await say(id, 'From the terminal')
    await answers(page).getByText('It is empty there.').waitFor()
  })
})

describe('a question of a runtime', () => {
  it('is answered by keys, which only work once it has the focus', async () => {
    const id = await make({ runtime: 'acp:scripted' })
    const page = await open(`/chat?c=${id}`)
    await write(page, 'Run it.')
    const card = page.getByRole('group', { name: 'scripted asks' })
    await card.waitFor()
    await card.getByText('stops asking in').waitFor()
    const needs = page.getByRole('region', { name: 'Needs you, 1 agent' }).getByRole('link')
    expect(await needs.getAttribute('href')).toContain(`/chat?c=${id}`)
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('a')
    expect(await field(page).inputValue()).toBe('a')
    await log(page).focus()
    await page.keyboard.press('a')
    expect(agent.outcomes()).toEqual([])
    expect(await focused(page)).toEqual({ name: 'scripted asks', ringed: true })
    await page.keyboard.press('a')
    await answers(page).getByText('It ran.').waitFor()
    await answers(page).getByText('Do it · you chose: Allow once').waitFor()
    expect(agent.outcomes()).toEqual([{ outcome: 'selected', optionId: 'yes' }])
    await atRest(page)
    await field(page).fill('')
    await write(page, 'Once more.')
    await card.getByRole('button', { name: /^Deny/ }).click()
    await answers(page).getByText('Then I leave it.').waitFor()
  })
})

describe('a message', () => {
  it('is edited and asked again in place, and the same is asked again', async () => {
    const id = await made('Wrong question')
    const page = await open(`/chat?c=${id}`)
    const mine = log(page).getByRole('article', { name: /^You/ })
    await mine.hover()
    await mine.getByRole('button', { name: 'Edit' }).click()
    await page.getByText('Takes the place of your message').waitFor()
    models.script('talker', { text: 'The first.' }, { text: 'The second.' })
    await write(page, 'Right question')
    await answers(page).getByText('The first.').waitFor()
    await atRest(page)
    await answers(page).getByRole('button', { name: 'Retry' }).click()
    await answers(page).getByText('The second.').waitFor()
    await atRest(page)
    const all = await stored(id)
    expect(all.map(({ content }) => content)).toEqual(['Right question', 'The second.'])
  })

  it('takes files along, and says which could not be taken', async () => {
    const page = await open(`/chat?c=${await make()}`)
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Attach files' }).click()
    await (await chooser).setFiles([
      { name: 'import.log', mimeType: 'text/plain', buffer: Buffer.from('row 18,204 is empty') },
      { name: 'empty.log', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
    ])
    await page.getByText('empty.log is empty.').waitFor()
    const attached = page.getByRole('list', { name: 'Files of this message' })
    await attached.getByText('import.log').waitFor()
    await give(field(page), 'paste', { name: 'shot.png', type: 'image/png', content: 'abc' })
    await give(log(page).or(page.getByText('Nothing was said yet.')), 'drop', {
      ...{ name: 'notes.md', type: '', content: 'dropped words' },
    })
    await attached.getByText('shot.png').waitFor()
    await attached.getByText('notes.md').waitFor()
    await write(page, 'Why?')
    await answers(page).getByText('It is empty there.').waitFor()
    for (const part of ['row 18,204 is empty', 'dropped words', 'data:image/png;base64,YWJj'])
      expect(models.requests.at(-1)?.text).toContain(part)
    await log(page).getByText('import.log · 19 B').waitFor()
  })

  it('that fails says why and what to do, and another runtime answers it', async () => {
    const page = await open(`/chat?c=${await made('Why?', { model: 'local/broken' })}`)
    const failure = log(page).getByRole('alert')
    await failure.getByText('Key refused').waitFor()
    await failure.getByText(/no such key/).waitFor()
    await failure.getByText('Set its key').waitFor()
    expect(await axe(page)).toEqual([])
    await failure.getByRole('button', { name: 'Other runtime' }).click()
    agent.play({ say: 'I can.' })
    await page.getByRole('menuitem', { name: /scripted/ }).click()
    await answers(page).getByText('I can.').waitFor()
  })
})

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
    await region(page, 'Plan').getByText('3 steps').waitFor()
    const sent = region(page, 'What was sent')
    await sent.getByText('About you').waitFor()
    await sent.getByRole('button', { name: 'Open as sent' }).click()
    const whole = page.getByRole('dialog', { name: 'As it was sent' })
    await whole.getByText('1. Read the log').waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Facts about you' }).click()
    await dialog.getByRole('button', { name: 'Forget “I prefer short answers.”' }).click()
    await dialog.getByText('Nothing is kept yet.').waitFor()
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

  it('are forked from a message, saved as files, and deleted with ten seconds to think about it', async () => {
    const id = await made('to be deleted')
    const page = await open(`/chat?c=${id}`)
    await answers(page).getByRole('button', { name: 'Fork from here' }).click()
    await eventually(() => page.url()).not.toContain(id)
    await page.getByText('Forked from another conversation').waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Export' }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Save as Markdown' }).click()
    expect((await saved).suggestedFilename()).toMatch(/^chat-.+\.md$/)
    await page.goto(`${daemon.address}/chat?c=${id}`)
    await page.getByRole('button', { name: 'Delete the conversation' }).click()
    await page.getByText('“to be deleted” deleted').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.goto(`${daemon.address}/chat?c=${id}`)
    await page.getByRole('button', { name: 'Delete the conversation' }).click()
    await page.goto(`${daemon.address}/settings`)
    await eventually(async () => (await daemon.request(`/api/conversations/${id}`)).status).toBe(404)
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
async function openLong(page: Page, count = LONG.length): Promise<void> {
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
  await page.goto(`${daemon.address}/chat?c=long`)
  await log(page).getByText('Answer 1999').waitFor()
}

describe('a long conversation', () => {
  it('opens at its end, draws what is near, and is scrolled without a hitch', async () => {
    const page = await open('/settings')
    await openLong(page)
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
    await page.goto(`${daemon.address}/chat?c=long&m=m801`)
    await eventually(() => log(page).getByText('Answer 801', { exact: true }).isVisible()).toBe(true)
  })
})

describe('in every theme and width', () => {
  it('has nothing that a screen reader or a weak eye would stumble over', async () => {
    const page = await open('/settings')
    await followSystem(page)
    await openLong(page, 12)
    await region(page, 'What was sent').getByText('no answer within 300 ms').waitFor()
    await page.getByRole('button', { name: 'Why these 1 skill' }).click()
    await page.getByRole('button', { name: /^Runtime:/ }).click()
    await page.getByRole('menuitemradio', { name: /nobody.*not installed/ }).waitFor()
    await expectNothingInBothThemes(page, 'a conversation')
  })

  it('fits a phone: list and panel come over the messages, and nothing is cut off', async () => {
    const page = await open('/settings', phone)
    await openLong(page, 12)
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
