import { z } from 'zod'
import { withBody } from '../body.ts'
import type { Asked } from '../guard.ts'
import type { Kit } from '../kit.ts'
import { escaped, plainPage } from '../pages.ts'
import { clientOf } from '../people/addresses.ts'
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
const MOST_REASON = 500

/** How browsers come in and go out; on a computer of one's own the one-time link is all there is. */
export const authRoutes = (kit: Kit): readonly Route[] =>
  [beginRoute(kit), callbackRoute(kit), tokenRoute(kit), signOutRoute(kit)].map((each) =>
    unlessAlone(kit, each),
  )

const beginRoute = ({ people, options: { log } }: Kit): Route => ({
  method: 'GET',
  path: '/auth/sign-in',
  scope: 'open',
  summary: 'Leads a browser to the provider that people sign in with.',
  query: z.object({ to: z.string().optional() }),
  reply: { type: 'text/html', status: 303 },
  answer: async ({ url, incoming: { headers }, asked }) => {
    if (!people?.signIn) return notFound(url.pathname)
    const begun = await people.signIn.begin(url.searchParams.get('to'))
    if (!begun.ok) {
      failed({ people, log, asked }, begun.message)
      return sorry(
        headers,
        502,
        'The provider does not answer',
        'Try again in a moment. If it stays so, an admin looks at team.sign_in in config.yaml of the hub.',
      )
    }
    return new Response(null, {
      status: 303,
      headers: { location: begun.value.url, 'set-cookie': begun.value.cookie },
    })
  },
})

const callbackRoute = ({ people, options: { log } }: Kit): Route => ({
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
    if (!finished.ok) failed({ people, log, asked: call.asked }, finished.message)
    if (!finished.ok && finished.code !== 'invalid' && finished.code !== 'denied')
      return refusalToAnybody(finished)
    const answer = finished.ok
      ? await arrive({ people, signIn, asked: call.asked }, finished.value, headers)
      : finished.code === 'denied'
        ? sorry(
            headers,
            502,
            'The provider did not confirm it',
            'Sign in again. If it stays so, an admin finds the reason in the log of the hub and in the audit log.',
          )
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

interface Failing {
  readonly people: People
  readonly log: Kit['options']['log']
  readonly asked: Asked
}

/** Why a sign-in did not come to its end is told to those who can mend it: a browser learns only that it did not. */
function failed({ people, log, asked }: Failing, message: string): void {
  const target = message.slice(0, MOST_REASON)
  log.warn({ reason: target }, 'sign-in failed')
  const note = {
    ...nobody(people, asked),
    actor: null,
    action: 'sign-in',
    target,
    outcome: 'failed',
  } as const
  // What a provider or a browser says of it may differ each time.
  people.audit.noteOnce(note, 'any reason')
}

async function arrive(
  { people, signIn, asked }: { readonly people: People; readonly signIn: SignIn; readonly asked: Asked },
  { told, admitted, to }: Finished,
  headers: Call['incoming']['headers'],
): Promise<Reply> {
  const who = { ...nobody(people, asked), actor: told.email ?? told.subject, action: 'sign-in' }
  if ('because' in admitted) {
    people.audit.noteOnce({ ...who, target: admitted.because, outcome: 'refused' })
    const [title, text] = turnedAway(admitted.because, told.email, signIn.provider)
    return sorry(headers, 403, title, text)
  }
  const { user, space } = admitted
  const secret = await people.team.signIn(user.id, space, Date.now() + STAYS_S * 1_000)
  if (!secret.ok) return refusalToAnybody(secret)
  // What the browser had before is of no use to anybody any more.
  const before = people.cookie.read(headers)
  if (before !== undefined) {
    const out = await people.team.signOut(before)
    if (out.ok && out.value) people.changed()
  }
  people.audit.note({ ...who, space, user_id: user.id, target: null, outcome: 'done' })
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
  answer: async ({ incoming, url, asked }) => {
    const { people, options } = kit
    if (!people) return notFound(url.pathname)
    const token = await withBody(incoming, SMALL_BODY, (text) => new URLSearchParams(text).get('token') ?? '')
    if (typeof token !== 'string') return token
    const found = await people.team.identify(token.trim())
    if (!found.ok) return refusalToAnybody(found)
    const { headers } = incoming
    const identity = 'identity' in found.value ? found.value.identity : undefined
    const actor = identity
      ? actorOf({ identity, space: identity.space }, asked)
      : { ...nobody(people, asked), actor: null }
    if (identity === undefined || identity.scope !== 'full' || identity.token_id === null) {
      const target = 'refused' in found.value ? found.value.refused : 'wrong_scope'
      people.audit.noteOnce({ ...actor, action: 'sign-in', target, outcome: 'refused' })
      const hub = { provider: people.signIn?.provider ?? null, to: '/' }
      return signInPage({ headers, command: options.command ?? 'panoptes', hub }, 'wrong_token')
    }
    people.audit.note({ ...actor, action: 'sign-in', target: null, outcome: 'done' })
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
      if (out.value) people.changed()
    }
    const answer = json({ signed_out: true })
    for (const line of [people.cookie.clear(), credentials.clearCookie()])
      answer.headers.append('set-cookie', line)
    return answer
  },
})

/** Somebody who is not known, for the audit log of the hub's own space. */
const nobody = ({ home }: People, asked: Asked) => ({
  user_id: null,
  token_id: null,
  space: home,
  address: clientOf(asked) || null,
})

const sorry = (headers: Call['incoming']['headers'], status: number, title: string, text: string): Response =>
  plainPage({
    status,
    headers,
    title,
    body: `<h1>${title}</h1>\n<p>${text}</p>\n<p><a class="go" href="/auth/sign-in">Sign in again</a></p>`,
  })
