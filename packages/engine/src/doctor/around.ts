import { type Check, ok, warning } from './check.ts'

export const pageCheck: Check = {
  id: 'page',
  title: 'Page',
  run: async ({ page }) => {
    const { folder, problem } = await page()
    if (!problem) return ok(folder ? `Built, in ${folder}` : 'Built at the next panoptes up')
    const detail = folder ? 'Older than its sources' : 'Not built; only the API is served'
    return warning(detail, problem, 'In a clone, run npm ci and start again; else install Panoptes again.')
  },
}

export const browserCheck: Check = {
  id: 'browser',
  title: 'Browser',
  run: ({ browser }) => ok(browser.opens ? browser.detail : `${browser.detail}; the link is printed instead`),
}

export const sourcesCheck: Check = {
  id: 'sources',
  title: 'Sources',
  run: async ({ sources }) => {
    const all = await sources()
    const unreadable = all.filter(({ state }) => state === 'unreadable')
    const found = all.filter(({ state }) => state === 'found').map(({ name }) => name)
    const detail = found.length > 0 ? found.join(', ') : 'No agent or provider was found'
    const first = unreadable[0]
    if (!first) return ok(detail)
    return warning(
      detail,
      unreadable.map((source) => `${source.name}: ${source.detail}`).join('; '),
      first.next ?? 'Let this user read it.',
    )
  },
}
