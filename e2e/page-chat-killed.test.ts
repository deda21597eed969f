import { afterEach, expect, it } from 'vitest'
import { type Daemon, startDaemon } from './daemon.ts'
import { type ChatHome, homeWithRuntimes } from './page-chat-home.ts'
import { answers, atRest, log, pick, write } from './page-chat-kit.ts'
import { openAt } from './page-kit.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const startOn = async ({ home }: ChatHome, ...args: readonly string[]): Promise<Daemon> => {
  const daemon = await startDaemon({ home, args })
  closing.push(daemon.stop)
  return daemon
}

it('an answer that Panoptes did not survive is over by itself, says so once, and is asked for again', {
  timeout: 120_000,
}, async () => {
  const home = await homeWithRuntimes()
  closing.push(home.close, home.line.close)
  const first = await startOn(home)
  const { page, close } = await openAt(first, '/chat?new=true', { viewport: { width: 1440, height: 900 } })
  closing.push(close)
  await pick(page, 'Model', /counts/)
  home.gated.allow(5)
  await write(page, 'Count.')
  await answers(page).getByText('word5').waitFor()

  await first.kill()
  await page.getByText(/^Not connected for .* the answer is as old as that/).waitFor()
  await page.waitForTimeout(3_000)
  expect(await page.getByRole('main').getByRole('alert').count()).toBe(0)
  expect(await page.getByText('Panoptes does not answer').count()).toBe(0)

  await startOn(home, '--port', String(first.port))
  const failure = log(page).getByRole('alert')
  await failure.getByText('Panoptes stopped meanwhile').waitFor({ timeout: 45_000 })
  await atRest(page)
  await page.getByText(/^Not connected for/).waitFor({ state: 'detached' })
  home.models.script('talker', { text: 'All of it.' })
  await pick(page, 'Model', /talker/)
  await failure.getByRole('button', { name: 'Retry' }).click()
  await answers(page).getByText('All of it.').waitFor()
})
