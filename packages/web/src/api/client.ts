import { QueryClient } from '@tanstack/react-query'
import { RequestFailure } from './request.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The server is local: it would refuse a refused request again, so only missing answers are retried.
      retry: (failures, error) => failures < 2 && error instanceof RequestFailure && error.status === 0,
      retryDelay: 500,
      staleTime: 2_000,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})
