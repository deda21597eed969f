import { describe, expect, it } from 'vitest'
import { axe, expectNothingInBothThemes, followSystem, goWithin } from './axe.ts'
import { startDaemon } from './daemon.ts'
import {
  agentOf,
  alive,
  atRest,
  dayOfAgents,
  frames,
  graph,
  panel,
  phone,
  table,
  useLive,
} from './live-kit.ts'
import { eventually, openAt } from './page-kit.ts'

const { day, start } = dayOfAgents()
const live = useLive(day)

describe('everyone can use Live', () => {
  for (const [width, options] of [
    ['wide', {}],
    ['narrow', phone],
  ] as const)
    it(`has nothing axe complains of, ${width}, dark and light`, async () => {
      const page = await live.open('/', options)
      await followSystem(page)
      const drawn = graph(page).or(table(page))
      const replay = page.getByText(/^Replay at /)
      const places = [
        ['/', drawn],
        [agentOf('w'), panel(page).getByRole('heading', { name: 'writer' })],
        [`/?at=${start + 5_000}`, replay],
        ['/?session=claude-code~s1', page.getByTitle('Show every session')],
      ] as const
      for (const [path, there] of places) {
        await goWithin(page, path)
        await there.first().waitFor()
        await eventually(() => replay.count()).toBe(there === replay ? 1 : 0)
        await eventually(() => drawn.count()).toBe(1)
        await page.getByText('Connected').waitFor()
        await expectNothingInBothThemes(page, path)
      }
    })

  it('draws no frame while nothing happens', async () => {
    const page = await live.open('/?model=haiku&state=working', { reducedMotion: 'no-preference' })
    // Who waits above the one that is asked for is there, and does not breathe: that would be every two seconds.
    expect(await atRest(page, 2_500)).toBeGreaterThan(0)
  })

  it('neither pulses nor breathes nor drifts where motion is not welcome', async () => {
    const page = await live.open('/', { reducedMotion: 'reduce' })
    await eventually(() => alive(page)).toBe(3)
    // Someone waits all the while, which breathes every two seconds where it may.
    const before = await atRest(page, 2_500)
    await live.post({
      event: 'tool_use',
      session_id: 's1',
      source: 'claude-code',
      agent_id: 'r',
      id: 't9',
      tool: 'Grep',
    })
    await eventually(async () => (await frames(page)) > before).toBe(true)
    expect((await atRest(page)) - before).toBeLessThan(20)
  })

  it('breathes with whoever waits where motion is welcome', async () => {
    const page = await live.open('/', { reducedMotion: 'no-preference' })
    await eventually(() => alive(page)).toBe(3)
    const before = await frames(page)
    await eventually(() => frames(page)).toBeGreaterThan(before + 20)
  })

  it('loads less than 200 KB of compressed scripts before the graph is drawn', async () => {
    const page = await live.open('/', { own: true })
    await page.addInitScript(() => {
      const scope = globalThis as unknown as {
        drawnAt?: number
        document: { querySelector(selector: string): unknown }
        MutationObserver: new (look: () => void) => { observe(of: unknown, how: object): void }
      }
      new scope.MutationObserver(() => {
        if (scope.document.querySelector('canvas')) scope.drawnAt ??= performance.now()
      }).observe(scope.document, { childList: true, subtree: true })
    })
    await page.reload()
    await eventually(() => alive(page)).toBe(3)
    // Pages that are read in advance come later; the worker that lays out comes with the graph.
    const scripts = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map((entry) => entry.toJSON() as { name: string; encodedBodySize: number; startTime: number })
        .filter(({ name }) => name.endsWith('.js'))
        .filter(
          ({ name, startTime }) =>
            startTime <= ((globalThis as unknown as { drawnAt?: number }).drawnAt ?? 0) ||
            name.includes('worker'),
        ),
    )
    const total = scripts.reduce((sum, script) => sum + script.encodedBodySize, 0)
    expect(scripts.some(({ name }) => name.includes('live-page'))).toBe(true)
    expect(total).toBeGreaterThan(50_000)
    expect(total).toBeLessThan(200_000)
  })
})

describe('a first run', () => {
  it('says how agents come to show, and what to type for it', async () => {
    const fresh = await startDaemon()
    // A hub shows what the computers of a team send to it.
    const [title, ...typed] =
      fresh.home.ledger === undefined
        ? ['Start an agent. It shows up here.', 'npx panoptes hooks install claude-code', 'npx panoptes demo']
        : [
            'Let a computer send here. Its agents show up.',
            `npx panoptes forward --to ${fresh.address} --token-file ./token`,
          ]
    try {
      const one = await openAt(fresh, '/')
      await one.page.getByRole('heading', { name: title }).waitFor()
      for (const command of typed) await one.page.getByText(command).waitFor()
      expect(await axe(one.page)).toEqual([])
      expect(one.complaints).toEqual([])
      await one.close()
    } finally {
      await fresh.stop()
    }
  })
})
