import type { MeReply } from '@panoptes/schema'
import { pageLoader } from './page-loader.ts'

const NAME = 'panoptes-space'

let shown: string | null = null

/** What a request says it is for: the server refuses it where another tab took this browser to another space. */
export const spaceHeaders = (): Readonly<Record<string, string>> => (shown === null ? {} : { [NAME]: shown })

/** The same for what is asked without headers: a stream, a link. */
export function forSpace(query: URLSearchParams): URLSearchParams {
  if (shown !== null) query.set(NAME, shown)
  return query
}

/** The page shows the space that it was first told of. Told of another one it is loaded anew: nothing of what it knows is of that one. */
export function heardSpace({ team, space }: Pick<MeReply, 'team' | 'space'>): void {
  if (!team) return
  shown ??= space
  if (shown !== space) pageLoader.load('/')
}

/** Lets the next space that is heard of be the one of the page, as after a load. */
export function forgetSpace(): void {
  shown = null
}

/** Whether this browser is in another space than the page, which is then loaded anew. */
export async function isElsewhere(): Promise<boolean> {
  if (shown === null) return false
  const answer = await fetch('/api/me', { credentials: 'same-origin' }).catch(() => undefined)
  if (!answer?.ok) return false
  // In the place of the hub a proxy may answer with a page.
  const me: MeReply | undefined = await answer.json().catch(() => undefined)
  if (me === undefined) return false
  heardSpace(me)
  return me.team && me.space !== shown
}
