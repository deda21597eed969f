import { describe, expect } from 'vitest'
import { eventually, expectAccessible, page, userEvent } from '../testing/page.tsx'
import { answers, button, field, it, log, sendButton, write } from './chat-page.test-kit.ts'

const mine = () => log().getByRole('article', { name: /^You/ })
const attached = () => page.getByRole('list', { name: 'Attached files' })
const LOG = { name: 'import.log', media_type: 'text/plain', text: 'row 18,204 is empty' }

/** Pastes or drops a file. */
function give(to: Element, kind: 'paste' | 'drop', file: File): void {
  const data = new DataTransfer()
  data.items.add(file)
  const how = { bubbles: true, cancelable: true }
  to.dispatchEvent(
    kind === 'paste'
      ? new ClipboardEvent('paste', { ...how, clipboardData: data })
      : new DragEvent('drop', { ...how, dataTransfer: data }),
  )
}

async function edit(): Promise<void> {
  await mine().hover()
  await mine().getByRole('button', { name: 'Edit' }).click()
}

describe('A message', () => {
  it('is replaced when it is edited, and Retry asks it again', async ({ open, chat }) => {
    await open(`/chat?c=${chat.addAnswered('Wrong question').id}`)
    await edit()
    await expect
      .element(page.getByText(/^Sending replaces your message and everything after it\./))
      .toBeVisible()
    await expect.element(field()).toHaveValue('Wrong question')
    chat.onRun = (run) => run.say('The first.').done()
    await write('Right question')
    await expect.element(answers().getByText('The first.')).toBeVisible()
    expect(chat.run.input).toMatchObject({ message: 'Right question', replaces: 'run-1-user' })
    await expect.element(sendButton()).toBeVisible()
    chat.onRun = (run) => run.say('The second.').done()
    await answers().getByRole('button', { name: 'Retry' }).click()
    await expect.element(answers().getByText('The second.')).toBeVisible()
    expect(chat.run.input).toMatchObject({ message: 'Right question', replaces: 'run-2-user' })
    await expect.element(log().getByRole('article')).toHaveLength(2)
  })

  it('stays unchanged when the edit is cancelled with Escape', async ({ open, chat }) => {
    await open(`/chat?c=${chat.addAnswered('Wrong question').id}`)
    await edit()
    await expect.element(field()).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(field()).toHaveValue('')
    expect(chat.runs).toHaveLength(1)
  })

  it('sends chosen, pasted and dropped files and names rejected ones', async ({ open, chat }) => {
    await open(`/chat?c=${chat.add().id}`)
    const nothing = page.getByText('No messages yet.')
    await expect.element(nothing).toBeVisible()
    const picker = document.querySelector<HTMLInputElement>('input[type=file]')
    let isAsked = false
    picker?.addEventListener('click', (event) => {
      event.preventDefault()
      isAsked = true
    })
    await button('Attach files').click()
    expect(isAsked).toBe(true)
    await userEvent.upload(picker ?? document.body, [
      new File(['row 18,204 is empty'], 'import.log', { type: 'text/plain' }),
      new File([], 'empty.log', { type: 'text/plain' }),
    ])
    await expect.element(page.getByText('empty.log is empty.')).toBeVisible()
    await expect.element(attached().getByText('import.log')).toBeVisible()
    give(field().element(), 'paste', new File(['abc'], 'shot.png', { type: 'image/png' }))
    give(nothing.element(), 'drop', new File(['dropped words'], 'notes.md'))
    await expect.element(attached().getByText('shot.png')).toBeVisible()
    await expect.element(attached().getByText('notes.md')).toBeVisible()
    await write('Why?')
    await expect.element(answers().getByText('It is empty there.')).toBeVisible()
    expect(chat.run.input.files).toEqual([
      LOG,
      { name: 'shot.png', media_type: 'image/png', data: 'YWJj' },
      { name: 'notes.md', media_type: 'text/plain', text: 'dropped words' },
    ])
    await expect.element(log().getByText('import.log · 19 B')).toBeVisible()
  })

  it('keeps its files on retry and edit until they are removed', async ({ open, chat }) => {
    chat.begin(chat.add().id, { message: 'Why?', files: [LOG] })
    await open('/chat?c=chat-1')
    await answers().getByRole('button', { name: 'Retry' }).click()
    await eventually(() => chat.runs.length).toBe(2)
    // The request names no files, so the server keeps those of the replaced message.
    expect(chat.run.input.files).toBe(undefined)
    await expect.element(mine().getByText('import.log · 19 B')).toBeVisible()
    await expect.element(sendButton()).toBeVisible()
    await edit()
    await expect.element(page.getByText('Sent again: import.log')).toBeVisible()
    await expectAccessible()
    await write('Why there?')
    await eventually(() => chat.runs.length).toBe(3)
    expect(chat.run.input.files).toBe(undefined)
    await expect.element(sendButton()).toBeVisible()
    await edit()
    await button('Remove these files').click()
    await write('Why at all?')
    await eventually(() => chat.runs.length).toBe(4)
    expect(chat.run.input.files).toEqual([])
    await expect.element(mine().getByText('Why at all?')).toBeVisible()
    await expect.element(mine().getByText('import.log · 19 B')).not.toBeInTheDocument()
  })

  it('shows why its answer failed and lets another runtime answer', async ({ open, chat }) => {
    chat.onRun = (run) => run.fail('unauthorized', 'local answered 401: no such key')
    chat.begin(chat.add().id, { message: 'Why?', model: 'local/broken' })
    await open('/chat?c=chat-1')
    const failure = log().getByRole('alert')
    await expect.element(failure.getByText('Key refused')).toBeVisible()
    await expect.element(failure.getByText(/no such key/)).toBeVisible()
    await expect.element(failure.getByText(/^Set the runtime’s key/)).toBeVisible()
    await expectAccessible()
    chat.onRun = (run) => run.say('I can.').done()
    await failure.getByRole('button', { name: 'Other runtime' }).click()
    await page.getByRole('menuitem', { name: /scripted/ }).click()
    await expect.element(answers().getByText('I can.')).toBeVisible()
    expect(chat.run.input).toMatchObject({ message: 'Why?', runtime: 'acp:scripted', replaces: 'run-1-user' })
  })

  it('returns to the field when the server refuses it', async ({ open, chat, server }) => {
    await open(`/chat?c=${chat.add().id}`)
    const busy = { code: 'busy', detail: 'Another message is being answered.', next: 'Wait for its end.' }
    server.fail('POST /api/conversations/:id/chat', 409, busy)
    await write('Too early')
    await expect.element(page.getByText(/^That didn’t work: Another message is being answered/)).toBeVisible()
    await expect.element(field()).toHaveValue('Too early')
  })
})
