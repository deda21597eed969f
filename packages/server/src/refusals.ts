import { isGatewayPath, refusedBody } from './gateway/errors.ts'
import { PROBLEM_TYPE, problemBody, type Refusal } from './problem.ts'
import { JSON_TYPE } from './route.ts'

export type Refuser = (refusal: Refusal, requestId: string, path: string) => Response

/** Writes a refusal in the format that the client expects, with commands as the user types them here. */
export const createRefuser =
  (typed = (text: string): string => text): Refuser =>
  (refusal, requestId, path) => {
    const typedRefusal = { ...refusal, detail: typed(refusal.detail), next: typed(refusal.next) }
    const [body, type] = isGatewayPath(path)
      ? [refusedBody(typedRefusal), JSON_TYPE]
      : [problemBody(typedRefusal, requestId), PROBLEM_TYPE]
    return new Response(body, {
      status: refusal.status,
      headers: { ...refusal.headers, 'content-type': type },
    })
  }
