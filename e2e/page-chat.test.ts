import { describe, expect, it } from 'vitest'
import { axe } from './axe.ts'
import { COUNTED } from './gated-model.ts'
import { HOSTILE } from './page-chat-home.ts'
import { answers, atRest, field, give, log, pick, region, useChat, wordsOf, write } from './page-chat-kit.ts'
import { eventually, focused } from './page-kit.ts'

const { pages, daemon, home, open, make, say, made, stored } = useChat()

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

  it('asks whom one picks, who is told of no model that nobody chose', async () => {
    const page = await open('/chat?new=true')
    const sent = page.waitForRequest((request) => request.url().endsWith('/chat'))
    home().agent.play({ say: 'Here I am.' })
    await pick(page, 'Runtime', /scripted/)
    await write(page, 'Who is there?')
    expect((await sent).postDataJSON()).toEqual({ message: 'Who is there?', runtime: 'acp:scripted' })
    await answers(page).getByText('Here I am.').waitFor()
    await atRest(page)
    await pick(page, 'Runtime', /Jarvis/)
    await write(page, 'And you?')
    await answers(page).getByText('It is empty there.').waitFor()
  })

  it('says of every runtime what is missing, with lines for the config, where none is ready', async () => {
    const missing = { id: 'jarvis', title: 'Jarvis', state: 'not_configured', models: [], is_default: true }
    const json = { runtimes: [{ ...missing, detail: 'Name a provider and model.', transport: null }] }
    const page = await open('/chat', {
      first: (window) => window.route(/\/api\/runtimes$/, (route) => route.fulfill({ json })),
    })
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
    home().gated.allow(5)
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
    const page = await pages.open({ ...daemon(), address: home().line.address }, `/chat?c=${id}`)
    await pick(page, 'Model', /counts/)
    home().gated.allow(3)
    await write(page, 'Count.')
    await answers(page).getByText('word3').waitFor()
    await page.reload()
    home().gated.allow(8)
    await answers(page).getByText('word8').waitFor()
    const other = await open(`/chat?c=${id}`)
    await answers(other).getByText('word8').waitFor()
    home().line.cut()
    await page.getByText(/^Not connected for .* the answer is as old as that/).waitFor()
    home().gated.allow(20)
    await answers(other).getByText('word20').waitFor()
    expect(await wordsOf(answers(page))).toEqual(COUNTED.slice(0, 8))
    const resumed = page.waitForRequest((request) =>
      (request.headers()['last-event-id'] ?? '').startsWith('run-'),
    )
    home().line.mend()
    await resumed
    await answers(page).getByText('word20').waitFor()
    home().gated.allow(COUNTED.length)
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
  it('takes the focus where nothing is being written, is answered by keys, and gives it back', async () => {
    const page = await open(`/chat?c=${await make({ runtime: 'acp:scripted' })}`)
    const before = home().agent.outcomes().length
    await write(page, 'Run it.')
    const card = page.getByRole('group', { name: 'scripted asks' })
    await card.getByText('a', { exact: true }).waitFor()
    expect((await focused(page))?.name).toBe('scripted asks')
    await eventually(async () => {
      if ((await focused(page))?.name === 'scripted asks') await page.keyboard.press('a')
      return home().agent.outcomes().length
    }).toBe(before + 1)
    await answers(page).getByText('It ran.').waitFor()
    expect((await focused(page))?.name).toBe('Message')
    expect(await field(page).inputValue()).toBe('')
  })

  it('leaves the focus to whoever writes: its keys only work once it has it', async () => {
    const id = await make({ runtime: 'acp:scripted' })
    const page = await open(`/chat?c=${id}`)
    await write(page, 'Run it.')
    await field(page).fill('The next')
    const card = page.getByRole('group', { name: 'scripted asks' })
    await card.waitFor()
    await card.getByText('stops asking in').waitFor()
    const needs = page.getByRole('region', { name: 'Needs you, 1 agent' }).getByRole('link')
    expect(await needs.getAttribute('href')).toContain(`/chat?c=${id}`)
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('a')
    expect(await field(page).inputValue()).toBe('The nexta')
    expect(await card.getByText('a', { exact: true }).isVisible()).toBe(false)
    await log(page).focus()
    const before = home().agent.outcomes().length
    await page.keyboard.press('a')
    expect(home().agent.outcomes().length).toBe(before)
    expect(await focused(page)).toEqual({ name: 'scripted asks', ringed: true })
    await page.keyboard.press('a')
    await answers(page).getByText('It ran.').waitFor()
    await answers(page).getByText('Do it · you chose: Allow once').waitFor()
    expect(home().agent.outcomes().slice(before)).toEqual([{ outcome: 'selected', optionId: 'yes' }])
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
    home().models.script('talker', { text: 'The first.' }, { text: 'The second.' })
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
      expect(home().models.requests.at(-1)?.text).toContain(part)
    await log(page).getByText('import.log · 19 B').waitFor()
  })

  it('has its files again when it is repeated or edited, until they are left out', async () => {
    const files = [{ name: 'import.log', text: 'row 18,204 is empty' }]
    const id = await made('Why?', { files })
    const page = await open(`/chat?c=${id}`)
    const last = () => home().models.requests.at(-1)?.text
    home().models.script('talker', { text: 'Again.' }, { text: 'Edited.' }, { text: 'Without.' })
    await answers(page).getByRole('button', { name: 'Retry' }).click()
    await answers(page).getByText('Again.').waitFor()
    await atRest(page)
    expect(last()).toContain('row 18,204 is empty')
    const edit = async () => {
      const mine = log(page).getByRole('article', { name: /^You/ })
      await mine.getByText('import.log · 19 B').waitFor()
      await mine.hover()
      await mine.getByRole('button', { name: 'Edit' }).click()
      await page.getByText('Goes along again: import.log').waitFor()
    }
    await edit()
    expect(await axe(page)).toEqual([])
    await write(page, 'Why there?')
    await answers(page).getByText('Edited.').waitFor()
    await atRest(page)
    expect(last()).toContain('row 18,204 is empty')
    await edit()
    await page.getByRole('button', { name: 'Leave its files out' }).click()
    await write(page, 'Why at all?')
    await answers(page).getByText('Without.').waitFor()
    await atRest(page)
    expect(last()).not.toContain('row 18,204 is empty')
    expect((await stored(id)).map((one) => one.files.length)).toEqual([0, 0])
  })

  it('that fails says why and what to do, and another runtime answers it', async () => {
    const page = await open(`/chat?c=${await made('Why?', { model: 'local/broken' })}`)
    const failure = log(page).getByRole('alert')
    await failure.getByText('Key refused').waitFor()
    await failure.getByText(/no such key/).waitFor()
    await failure.getByText('Set its key').waitFor()
    expect(await axe(page)).toEqual([])
    await failure.getByRole('button', { name: 'Other runtime' }).click()
    home().agent.play({ say: 'I can.' })
    await page.getByRole('menuitem', { name: /scripted/ }).click()
    await answers(page).getByText('I can.').waitFor()
  })
})
