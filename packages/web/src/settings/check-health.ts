import { queryClient } from '../api/client.ts'
import { type HealthReply, healthQuery } from '../api/queries.ts'
import { postJson } from '../api/request.ts'

/** Runs every check again and shows the results. */
export async function checkHealth(): Promise<HealthReply> {
  const reply = await postJson<HealthReply>('/api/health')
  queryClient.setQueryData(healthQuery.queryKey, reply)
  return reply
}
