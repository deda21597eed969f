import { type Browsers, openBrowsers, openTokens } from '@panoptes/engine/home'
import type { BrowserSession, BrowsersReply } from '@panoptes/schema'
import type { Context } from '../context.ts'
import { type Client, connect, notRunning } from '../daemon/client.ts'
import { CommandFailure, EXIT, orFail } from '../failure.ts'
import { sendJson } from '../json-requests.ts'
import { columns } from '../terminal/format.ts'
import { dateTime } from './sessions/format.ts'

export async function listBrowsers(context: Context): Promise<void> {
  const browsers = await withBrowsers<readonly BrowserSession[]>(context, {
    daemon: async (client) =>
      (await client.json<BrowsersReply>('/api/browsers')).browsers.map(({ current: _, ...each }) => each),
    file: async (store) => store.list(),
  })
  const rows = browsers.map(({ id, browser, made_at, used_at }) => [
    id,
    browser,
    dateTime(made_at),
    dateTime(used_at),
  ])
  context.output.answer(
    rows.length === 0
      ? ['No browser is signed in']
      : columns([['ID', 'BROWSER', 'SIGNED IN', 'LAST USED'], ...rows]),
    { ok: true, browsers },
  )
}

export async function revokeBrowsers(context: Context, id: string | undefined, all: boolean): Promise<void> {
  if ((id === undefined) !== all)
    throw new CommandFailure('Pass either a browser id or --all', {
      code: 'usage',
      next: 'Use: panoptes browsers revoke ID, or panoptes browsers revoke --all',
      exit: EXIT.usage,
    })
  const revoked = await withBrowsers<number>(context, {
    daemon: async (client) => {
      const path = id === undefined ? '/api/browsers' : `/api/browsers/${encodeURIComponent(id)}`
      return (await client.json<{ revoked: number }>(path, { method: 'DELETE' })).revoked
    },
    file: async (store) => {
      if (id === undefined) return store.revokeAll()
      if (!store.revoke(id)) throw browserNotFound(id)
      return 1
    },
  })
  const message = revoked === 1 ? 'Signed out 1 browser' : `Signed out ${revoked} browsers`
  context.output.answer([message], { ok: true, revoked })
}

/** Confirms the request of a browser by its code. */
export async function confirm(context: Context, code: string): Promise<void> {
  const client = await connect(context.paths)
  if (!client) throw notRunning()
  const { confirmed } = await sendJson<{ confirmed: string }>(client, 'POST', '/api/confirm', { code })
  context.output.answer([`Confirmed: ${confirmed}`], { ok: true, confirmed })
}

interface BrowserAccess<T> {
  readonly daemon: (client: Client) => Promise<T>
  readonly file: (browsers: Browsers) => Promise<T>
}

/** A running daemon owns the list. Without one, the command edits the file. */
async function withBrowsers<T>({ paths }: Context, { daemon, file }: BrowserAccess<T>): Promise<T> {
  const client = await connect(paths)
  if (client) return daemon(client)
  const tokens = orFail(await openTokens(paths))
  let failed: unknown
  const browsers = await openBrowsers(paths, {
    token: () => tokens.read('full'),
    onFailure: (error) => {
      failed = error
    },
  })
  const done = await file(browsers)
  await browsers.settled()
  if (failed !== undefined) throw failed
  return done
}

const browserNotFound = (id: string) =>
  new CommandFailure(`No signed-in browser has the id ${id}`, {
    code: 'not_found',
    next: 'List browsers: panoptes browsers list',
  })
