import { z } from 'zod'
import { withBody } from '../body.ts'
import type { Kit } from '../kit.ts'
import { escaped, plainPage } from '../pages.ts'
import { clientOf, proxiesOf } from '../people/addresses.ts'
import { actorOf } from '../people/audit.ts'
import type { People } from '../people/people.ts'
import type { Admitted } from '../people/sign-in/admit.ts'
import type { Finished, SignIn } from '../people/sign-in/sign-in.ts'
import { notFound, refusalToAnybody } from '../problem.ts'
import { type Call, JSON_TYPE, json, type Reply, type Route } from '../route.ts'
import { signedIn, signInPage } from '../sign-in.ts'
import { unlessAlone } from './team.ts'

/** How long a browser stays signed in. */
const STAYS_S = 7 * 86_400
const HTML = { type: 'text/html' }
const SMALL_BODY = 4_096

/** How browsers come in and go out; on a computer of one's own the one-time link is all there is. */
export const authRoutes = (kit: Kit): readonly Route[] =>
  [beginRoute(kit), callbackRoute(kit), tokenRoute(kit), signOutRoute(kit)].map((each) =>
    unlessAlone(kit, each),
  )

const beginRoute = ({ people }: Kit): Route => ({
  method: 'GET',
  path: '/auth/sign-in',
  scope: 'open',
  summary: 'Leads a browser to the provider that people sign in with.',
  query: z.object({ to: z.string().optional() }),
  reply: { type: 'text/html', status: 303 },
  answer: async ({ url, incoming: { headers } }) => {
    if (!people?.signIn) return notFound(url.pathname)
    const begun = await people.signIn.begin(url.searchParams.get('to'))
    if (!begun.ok)
      return sorry(
        headers,
        502,
        'The provider does not answer',
        'Try again in a moment. If it stays so, an admin looks at team.sign_in in config.yaml of the hub.',
      )
    return new Response(null, {
      status: 303,
      headers: { location: begun.value.url, 'set-cookie': begun.value.cookie },
    })
  },
})

const callbackRoute = ({ people, options }: Kit): Route => ({
  method: 'GET',
  path: '/auth/callback',
  scope: 'open',
  summary: 'Where the provider sends a browser back to.',
  reply: HTML,
  answer: async (call) => {
    if (!people?.signIn) return notFound(call.url.pathname)
    const { signIn } = people
    const { headers } = call.incoming
    const finished = await signIn.finish(call.url.search, signIn.cookie.read(headers))
    if (!finished.ok && finished.code !== 'invalid') return refusalToAnybody(finished)
    const answer = finished.ok
      ? await arrive({ people, signIn, from: fromOf(options, call) }, finished.value, headers)
      : sorry(
          headers,
          400,
          'That did not work',
          'What came back from the provider does not belong to this browser, or is too old.',
        )
    if (answer instanceof Response) answer.headers.append('set-cookie', signIn.cookie.clear())
    return answer
  },
})

async function arrive(
  { people, signIn, from }: { readonly people: People; readonly signIn: SignIn; readonly from: string },
  { told, admitted, to }: Finished,
  headers: Call['incoming']['headers'],
): Promise<Reply> {
  const note = (
    space: string | null,
    user: string | null,
    outcome: 'done' | 'refused',
    target: string | null,
  ) =>
    people.audit.note({
      actor: told.email ?? told.subject,
      user_id: user,
      token_id: null,
      space,
      action: 'sign-in',
      target,
      outcome,
      address: from || null,
    })
  if ('because' in admitted) {
    note(people.home, null, 'refused', admitted.because)
    const [title, text] = turnedAway(admitted.because, told.email, signIn.provider)
    return sorry(headers, 403, title, text)
  }
  const { user, space } = admitted
  const secret = await people.team.signIn(user.id, space, Date.now() + STAYS_S * 1_000)
  if (!secret.ok) return refusalToAnybody(secret)
  // What the browser had before is of no use to anybody any more.
  const before = people.cookie.read(headers)
  if (before !== undefined) {
    await people.team.signOut(before)
    people.changed()
  }
  note(space, user.id, 'done', null)
  // The way here was from another site: only from a page of our own does the browser take its cookie along.
  return plainPage({
    status: 200,
    headers,
    title: 'Signed in',
    body: `<h1>Signed in</h1>\n<p><a href="${escaped(to)}">Go on</a></p>`,
    next: to,
    cookies: [people.cookie.set(secret.value, STAYS_S)],
  })
}

function turnedAway(
  because: Extract<Admitted, { because: unknown }>['because'],
  email: string | null,
  provider: string,
): readonly [title: string, text: string] {
  const who = email === null ? 'You are' : `${escaped(email)} is`
  switch (because) {
    case 'disabled':
      return ['You cannot sign in here', `${who} disabled here. An admin of the team can change that.`]
    case 'unverified':
      return [
        'Your address is not verified',
        `${escaped(provider)} does not say that ${escaped(email ?? 'your address')} is yours. Verify it there, then sign in again.`,
      ]
    case 'nowhere':
      return [
        'You are in no space',
        `${who} known here, and in no space. Ask an admin of the team to take you into one.`,
      ]
    case 'unknown':
      return [
        'Nobody has let you in yet',
        `${who} not known here. Ask an admin of the team to add you: <code>panoptes team users add</code>`,
      ]
  }
}

/** A token of a person or a machine, typed into the page: from then on the browser shows it. */
const tokenRoute = (kit: Kit): Route => ({
  method: 'POST',
  path: '/auth/token',
  scope: 'open',
  action: null,
  summary: 'Signs a browser in with a token of a space.',
  body: { type: 'application/x-www-form-urlencoded', schema: z.object({ token: z.string() }) },
  reply: { type: 'text/html', status: 303 },
  answer: async ({ incoming, url }) => {
    const { people, options } = kit
    if (!people) return notFound(url.pathname)
    const token = await withBody(incoming, SMALL_BODY, (text) => new URLSearchParams(text).get('token') ?? '')
    if (typeof token !== 'string') return token
    const found = await people.team.identify(token.trim())
    if (!found.ok) return refusalToAnybody(found)
    const { headers } = incoming
    if (
      !('identity' in found.value) ||
      found.value.identity.scope !== 'full' ||
      found.value.identity.token_id === null
    ) {
      const known = 'identity' in found.value ? found.value.identity : undefined
      people.audit.note({
        actor: known?.label ?? null,
        user_id: known?.user_id ?? null,
        token_id: known?.token_id ?? null,
        space: known?.space ?? people.home,
        action: 'sign-in',
        target: 'refused' in found.value ? found.value.refused : 'wrong_scope',
        outcome: 'refused',
        address: fromOf(options, { incoming }) || null,
      })
      const hub = { provider: people.signIn?.provider ?? null, to: '/' }
      return signInPage({ headers, command: options.command ?? 'panoptes', hub }, 'wrong_token')
    }
    const { identity } = found.value
    const caller = {
      scope: identity.scope,
      via: 'cookie',
      role: identity.role,
      space: identity.space,
      home: false,
      identity,
    } as const
    people.audit.note({
      ...actorOf(caller, askerOf(options, incoming)),
      action: 'sign-in',
      target: null,
      outcome: 'done',
    })
    return signedIn(people.cookie.set(token.trim(), STAYS_S))
  },
})

const signOutRoute = ({ people, credentials }: Kit): Route => ({
  method: 'POST',
  path: '/auth/sign-out',
  scope: 'open',
  action: 'sign-out',
  summary: 'Ends the sign-in of this browser.',
  reply: { type: JSON_TYPE, schema: z.object({ signed_out: z.literal(true) }) },
  answer: async ({ incoming: { headers }, url }) => {
    if (!people) return notFound(url.pathname)
    const secret = people.cookie.read(headers)
    if (secret !== undefined) {
      const out = await people.team.signOut(secret)
      if (!out.ok) return refusalToAnybody(out)
      people.changed()
    }
    const answer = json({ signed_out: true })
    for (const line of [people.cookie.clear(), credentials.clearCookie()])
      answer.headers.append('set-cookie', line)
    return answer
  },
})

const askerOf = ({ config }: Kit['options'], { headers, socket }: Call['incoming']) => ({
  headers,
  peer: socket.remoteAddress,
  proxies: proxiesOf(config.team.trusted_proxies),
})

const fromOf = (options: Kit['options'], { incoming }: Pick<Call, 'incoming'>): string =>
  clientOf(askerOf(options, incoming))

const sorry = (headers: Call['incoming']['headers'], status: number, title: string, text: string): Response =>
  plainPage({
    status,
    headers,
    title,
    body: `<h1>${title}</h1>\n<p>${text}</p>\n<p><a class="go" href="/auth/sign-in">Sign in again</a></p>`,
  })
