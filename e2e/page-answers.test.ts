import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingInBothThemes, followSystem } from './axe.ts'
import { makeHome, runCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { eventually, usePages, type WindowOptions } from './page-kit.ts'

let home: TestHome
let daemon: Daemon
const pages = usePages()
beforeAll(async () => {
  home = await makeHome()
  await runCommand(home, ['config', 'set', 'live.answer_seconds', '120'])
  daemon = await startDaemon({ home })
})
afterAll(async () => {
  await daemon?.stop()
  await home?.remove()
})

const option = (label: string, description = '') => ({ label, description })
const colour = {
  question: 'Which colour?',
  header: 'Colour',
  options: [option('Red', 'warm'), option('Blue', 'cold')],
  multiSelect: false,
}
const sizes = {
  question: 'Which sizes?',
  header: 'Sizes',
  options: [option('Small'), option('Large')],
  multiSelect: true,
}

/** An agent that waits for an answer, as its hook does: what the hook is told in the end, and the page at its panel. */
async function ask(tool_name: string, tool_input: object, options: WindowOptions = {}) {
  const session = `s${crypto.randomUUID().slice(0, 8)}`
  const payload = {
    hook_event_name: 'PermissionRequest',
    session_id: session,
    cwd: '/work',
    tool_name,
    tool_input,
  }
  const reply = daemon.request('/hooks/claude-code', { method: 'POST', body: JSON.stringify(payload) })
  const decided = reply.then(async (answer) => {
    const text = await answer.text()
    return text === '' ? null : JSON.parse(text).hookSpecificOutput.decision
  })
  const page = await pages.open(daemon, `/?view=table&agent=claude-code~${session}~main`, options)
  const card = page.getByRole('region', { name: 'Waits for you' })
  await card.waitFor()
  return { page, card, decided, session }
}

interface Element {
  readonly tagName: string
  readonly textContent: string | null
  getAttribute(name: string): string | null
}

/** Presses Tab until a button or a field of this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const focused = () =>
    page.evaluate(() => {
      const { document } = globalThis as unknown as { document: { activeElement: Element | null } }
      const at = document.activeElement
      if (at?.tagName !== 'BUTTON' && at?.tagName !== 'INPUT') return ''
      return at.textContent || at.getAttribute('placeholder') || ''
    })
  for (let presses = 0; presses < 80; presses += 1) {
    if ((await focused()).includes(name)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${name}`)
}

describe('a permission', () => {
  it('is allowed with a click', async () => {
    const { card, page, decided } = await ask('Bash', { command: 'npm test' })
    await card.getByText('Asks to run Bash npm test').waitFor()
    await card.getByRole('button', { name: 'Allow once' }).click()
    expect(await decided).toEqual({ behavior: 'allow' })
    await page.getByText('Allowed once').waitFor()
    await page.getByRole('region', { name: 'Working' }).waitFor()
  })

  it('is denied with the keyboard', async () => {
    const { page, decided } = await ask('Bash', { command: 'rm -r build' })
    await tabTo(page, 'Allow once')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await decided).toMatchObject({ behavior: 'deny' })
    await page.getByText('Denied').waitFor()
  })
})

describe('a question', () => {
  it('with one answer is answered by a click on it', async () => {
    const { card, page, decided } = await ask('AskUserQuestion', { questions: [colour] })
    await page
      .getByRole('region', { name: /^Needs you/ })
      .getByText('Which colour?')
      .first()
      .waitFor()
    await card.getByRole('group', { name: 'Which colour?' }).getByRole('button', { name: 'Blue' }).click()
    expect(await decided).toEqual({
      behavior: 'allow',
      updatedInput: { questions: [colour], answers: { 'Which colour?': 'Blue' } },
    })
    await page.getByText('Answer sent').waitFor()
  })

  it('takes own words, and several answers, by the keyboard alone', async () => {
    const { card, page, decided } = await ask('AskUserQuestion', { questions: [colour, sizes] })
    const send = card.getByRole('button', { name: 'Send answer' })
    expect(await send.isDisabled()).toBe(true)
    await tabTo(page, 'Red')
    await page.keyboard.press('Space')
    await eventually(() => card.getByRole('button', { name: 'Red' }).getAttribute('aria-pressed')).toBe(
      'true',
    )
    await tabTo(page, 'Something else')
    await page.keyboard.type('a warm grey')
    await eventually(() => card.getByRole('button', { name: 'Red' }).getAttribute('aria-pressed')).toBe(
      'false',
    )
    for (const label of ['Small', 'Large']) {
      await tabTo(page, label)
      await page.keyboard.press('Enter')
    }
    await tabTo(page, 'Send answer')
    await page.keyboard.press('Enter')
    expect(await decided).toMatchObject({
      behavior: 'allow',
      updatedInput: { answers: { 'Which colour?': 'a warm grey', 'Which sizes?': 'Small, Large' } },
    })
  })

  it('can be left unanswered', async () => {
    const { card, decided } = await ask('AskUserQuestion', { questions: [colour] })
    await card.getByRole('button', { name: 'Do not answer' }).click()
    expect(await decided).toMatchObject({ behavior: 'deny' })
  })

  it('is easy to hit on a phone, and nothing axe complains of, dark and light', async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
    const { card, page, decided } = await ask('AskUserQuestion', { questions: [colour, sizes] }, phone)
    await followSystem(page)
    await card.getByRole('button', { name: 'Do not answer' }).waitFor()
    const buttons = await card.getByRole('button').all()
    expect(buttons.length).toBeGreaterThanOrEqual(6)
    for (const target of [...buttons, ...(await card.getByRole('textbox').all())]) {
      expect((await target.boundingBox())?.height, (await target.textContent()) ?? '').toBeGreaterThanOrEqual(
        44,
      )
    }
    await expectNothingInBothThemes(page, 'the card')
    await card.getByRole('button', { name: 'Do not answer' }).click()
    await decided
  })
})
