import { isGatewayPath, refusedBody } from './gateway/errors.ts'
import { PROBLEM_TYPE, problemBody, type Refusal } from './problem.ts'
import { JSON_TYPE } from './route.ts'

export type Refuser = (refusal: Refusal, requestId: string, path: string) => Response

/** A refusal in the words of whoever asks there, with commands as they are typed here. */
export const refuserOf =
  (typed = (text: string): string => text): Refuser =>
  (refusal, requestId, path) => {
    const said = { ...refusal, detail: typed(refusal.detail), next: typed(refusal.next) }
    const [body, type] = isGatewayPath(path)
      ? [refusedBody(said), JSON_TYPE]
      : [problemBody(said, requestId), PROBLEM_TYPE]
    return new Response(body, {
      status: refusal.status,
      headers: { ...refusal.headers, 'content-type': type },
    })
  }
