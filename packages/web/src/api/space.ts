import type { MeReply } from '@panoptes/schema'
import { pageLoader } from './page-loader.ts'

const NAME = 'panoptes-space'

let shown: string | null = null

/** The header that names the space of a request. The server refuses it if another tab switched this browser to another space. */
export const spaceHeaders = (): Readonly<Record<string, string>> => (shown === null ? {} : { [NAME]: shown })

/** The same as a query parameter, for streams and links, which cannot set headers. */
export function addSpaceParam(query: URLSearchParams): URLSearchParams {
  if (shown !== null) query.set(NAME, shown)
  return query
}

/** The page shows the first space it hears of. If another space arrives, the page reloads, because all its data belongs to the first. */
export function adoptSpace({ team, space }: Pick<MeReply, 'team' | 'space'>): void {
  if (!team) return
  shown ??= space
  if (shown !== space) pageLoader.load('/')
}

/** Makes the next space the page hears of its own, as after a reload. */
export function forgetSpace(): void {
  shown = null
}

/** Whether this browser moved to another space than the page, which then reloads. */
export async function hasSpaceChanged(): Promise<boolean> {
  if (shown === null) return false
  const answer = await fetch('/api/me', { credentials: 'same-origin' }).catch(() => undefined)
  if (!answer?.ok) return false
  // A proxy in front of the hub may answer with an HTML page.
  const me: MeReply | undefined = await answer.json().catch(() => undefined)
  if (me === undefined) return false
  adoptSpace(me)
  return me.team && me.space !== shown
}
