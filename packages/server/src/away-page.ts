import { isNavigation } from './navigation.ts'
import { escaped, type PlainPage, plainPage } from './pages.ts'

const AGAIN_S = 3

interface Away {
  readonly method: string
  readonly path: string
  readonly headers: PlainPage['headers']
  readonly answer: Response
  /** Why, as anybody may know it. */
  readonly because?: string | undefined
}

/** A browser that goes somewhere while nothing can be answered gets a page that says so, and tries again by itself. */
export function awayPage({ method, path, headers, answer, because = GENERAL }: Away): Response | undefined {
  if (answer.status !== 503 || !isNavigation(headers)) return undefined
  const body = `<h1>Panoptes cannot answer just now</h1>
<p>${escaped(because)}</p>
<p>This page tries again every ${AGAIN_S} seconds. Computers that send events keep them until they are taken.</p>
<p><a class="go" href="/">Try again now</a></p>`
  // What was sent, and the way back from a provider, is not good twice.
  const isGoodAgain = method === 'GET' && !path.startsWith('/auth/')
  const page = plainPage({
    status: 503,
    headers,
    title: 'Away',
    body,
    again: { seconds: AGAIN_S, ...(isGoodAgain ? {} : { at: '/' }) },
  })
  const wait = answer.headers.get('retry-after')
  if (wait !== null) page.headers.set('retry-after', wait)
  return page
}

const GENERAL = 'Its database does not answer.'
